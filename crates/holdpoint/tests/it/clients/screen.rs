//! What stands on a terminal's screen: the cells that a client has written, as a terminal would show them.

const ROWS: usize = 50;
const COLUMNS: usize = 160;

/// The size, as the client is told.
pub(super) const SIZE: rustix::termios::Winsize =
    rustix::termios::Winsize { ws_row: 50, ws_col: 160, ws_xpixel: 0, ws_ypixel: 0 };

/// A screen, and the end of what has not been understood yet.
pub(super) struct Screen {
    cells: Vec<[char; COLUMNS]>,
    /// The lines that have left it at the top.
    gone: String,
    row: usize,
    column: usize,
    saved: (usize, usize),
    /// The rows that scroll.
    region: (usize, usize),
    rest: Vec<u8>,
}

impl Screen {
    pub(super) fn new() -> Screen {
        Screen {
            cells: vec![[' '; COLUMNS]; ROWS],
            gone: String::new(),
            row: 0,
            column: 0,
            saved: (0, 0),
            region: (0, ROWS - 1),
            rest: Vec::new(),
        }
    }

    /// All that it shows and has shown, line by line.
    pub(super) fn text(&self) -> String {
        self.gone.clone() + &self.now()
    }

    fn now(&self) -> String {
        let lines = self.cells.iter().map(|line| line.iter().collect::<String>());
        lines.map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    /// Does it show this, or has it? Where lines are broken is the client's business.
    pub(super) fn has(&self, words: &str) -> bool {
        squeezed(&self.text()).contains(&squeezed(words))
    }

    /// Does it show this now?
    pub(super) fn shows(&self, words: &str) -> bool {
        squeezed(&self.now()).contains(&squeezed(words))
    }

    /// How often it shows this, or has.
    pub(super) fn count(&self, words: &str) -> usize {
        squeezed(&self.text()).matches(&squeezed(words)).count()
    }

    /// Takes what the client wrote.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let rest = self.rest.split_off(whole);
        let text = String::from_utf8(std::mem::replace(&mut self.rest, rest)).unwrap();
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            let before = characters.as_str().len() + character.len_utf8();
            if character == '\x1b' && !self.escape(&mut characters) {
                // The rest of it comes with the next bytes.
                let mut open = text.as_bytes()[text.len() - before..].to_vec();
                open.append(&mut self.rest);
                self.rest = open;
                return;
            } else if character != '\x1b' {
                self.put(character);
            }
        }
    }

    fn put(&mut self, character: char) {
        match character {
            '\r' => self.column = 0,
            '\n' => self.feed(),
            '\x08' => self.column = self.column.saturating_sub(1),
            '\t' => self.column = (self.column / 8 * 8 + 8).min(COLUMNS - 1),
            character if character.is_control() => {}
            character => {
                if self.column == COLUMNS {
                    self.column = 0;
                    self.feed();
                }
                self.cells[self.row][self.column] = character;
                self.column += 1;
            }
        }
    }

    fn feed(&mut self) {
        if self.row == self.region.1 {
            self.scroll(1);
        } else {
            self.row = (self.row + 1).min(ROWS - 1);
        }
    }

    fn scroll(&mut self, lines: usize) {
        for _ in 0..lines {
            let line = self.cells.remove(self.region.0);
            self.gone += &(line.iter().collect::<String>() + "\n");
            self.cells.insert(self.region.1, [' '; COLUMNS]);
        }
    }

    /// What stands behind an escape character; false if it is not whole.
    fn escape(&mut self, characters: &mut std::str::Chars<'_>) -> bool {
        match characters.next() {
            Some('[') => self.sequence(characters),
            // A title, a link, a question: up to a bell or the end of the string.
            Some(']' | 'P' | '_' | '^' | 'X') => characters.by_ref().any(|c| matches!(c, '\x07' | '\\')),
            Some('(' | ')') => characters.next().is_some(),
            Some('7') => {
                self.saved = (self.row, self.column);
                true
            }
            Some('8') => {
                (self.row, self.column) = self.saved;
                true
            }
            Some(_) => true,
            None => false,
        }
    }

    fn sequence(&mut self, characters: &mut std::str::Chars<'_>) -> bool {
        let mut arguments = String::new();
        for character in characters {
            if ('\x40'..='\x7e').contains(&character) {
                self.control(character, &arguments);
                return true;
            }
            arguments.push(character);
        }
        false
    }

    fn control(&mut self, what: char, arguments: &str) {
        if arguments.starts_with('?') && arguments.contains("1049") {
            self.cells = vec![[' '; COLUMNS]; ROWS];
        }
        let numbers: Vec<usize> = arguments.split(';').map(|number| number.parse().unwrap_or(0)).collect();
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let count = number(0).max(1);
        let column = self.column.min(COLUMNS - 1);
        match what {
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.row = (self.row + count).min(ROWS - 1),
            'C' => self.column = (self.column + count).min(COLUMNS - 1),
            'D' => self.column = column.saturating_sub(count),
            'E' => (self.row, self.column) = ((self.row + count).min(ROWS - 1), 0),
            'F' => (self.row, self.column) = (self.row.saturating_sub(count), 0),
            'G' => self.column = (count - 1).min(COLUMNS - 1),
            'd' => self.row = (count - 1).min(ROWS - 1),
            'H' | 'f' => {
                self.row = (count - 1).min(ROWS - 1);
                self.column = (number(1).max(1) - 1).min(COLUMNS - 1);
            }
            'J' => self.erase_screen(number(0)),
            'K' => self.erase_line(number(0)),
            'X' => self.cells[self.row][column..(column + count).min(COLUMNS)].fill(' '),
            'P' => {
                let count = count.min(COLUMNS - column);
                self.cells[self.row][column..].rotate_left(count);
                self.cells[self.row][COLUMNS - count..].fill(' ');
            }
            'S' => self.scroll(count.min(ROWS)),
            'L' => self.insert_lines(count),
            'M' => self.delete_lines(count),
            'r' if !arguments.starts_with('?') => {
                let last = if number(1) == 0 { ROWS } else { number(1).min(ROWS) };
                self.region = (count - 1, last - 1);
                (self.row, self.column) = (0, 0);
            }
            _ => {}
        }
    }

    fn erase_screen(&mut self, what: usize) {
        let rows = match what {
            0 => self.row + 1..ROWS,
            1 => 0..self.row,
            _ => 0..ROWS,
        };
        self.cells[rows].fill([' '; COLUMNS]);
        if what < 2 {
            self.erase_line(what);
        }
    }

    fn erase_line(&mut self, what: usize) {
        let column = self.column.min(COLUMNS - 1);
        let columns = match what {
            0 => column..COLUMNS,
            1 => 0..column + 1,
            _ => 0..COLUMNS,
        };
        self.cells[self.row][columns].fill(' ');
    }

    fn insert_lines(&mut self, count: usize) {
        for _ in 0..count.min(ROWS) {
            self.cells.remove(self.region.1.max(self.row));
            self.cells.insert(self.row, [' '; COLUMNS]);
        }
    }

    fn delete_lines(&mut self, count: usize) {
        for _ in 0..count.min(ROWS) {
            self.cells.remove(self.row);
            self.cells.insert(self.region.1.max(self.row), [' '; COLUMNS]);
        }
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn a_screen_shows_what_a_terminal_would() {
    let mut screen = Screen::new();
    for part in ["go \x1b[", "1mon\x1b]0;title\x07\r\n", "\x1b[3;5Hhere\x1b[1D\x1b[K\x1b[1;1HG", "\u{2503}"] {
        screen.take(part.as_bytes());
    }
    assert_eq!(screen.text().trim_end(), "G\u{2503} on\n\n    her");
    assert!(screen.has("on her") && !screen.has("go"));
    screen.take("\x1b[50;1Hlast\r\n".as_bytes());
    assert!(
        screen.text().starts_with("G\u{2503} on") && screen.has("last"),
        "what has scrolled away was shown"
    );
    assert!(screen.shows("last") && !screen.shows("on her") && screen.count("last") == 1);
}
