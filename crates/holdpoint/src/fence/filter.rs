//! The filter of system calls inside the fence. The client has the user's terminal, and on many systems whoever has a
//! terminal can type on it: what is typed there after the client's end, the user's shell does, outside. So that is refused.

/// The calls that put something into a terminal's input: `TIOCSTI`, and `TIOCLINUX`, which pastes.
const TYPING: [u32; 2] = [0x5412, 0x541c];
/// The setting by which the system refuses it itself.
const SETTING: &str = "/proc/sys/dev/tty/legacy_tiocsti";

/// The architectures of system calls that this processor has, and the numbers of `ioctl` in each.
#[cfg(target_arch = "x86_64")]
const CALLS: &[(u32, &[u32])] = &[(0xc000_003e, &[16, 0x4000_0000 + 514]), (0x4000_0003, &[54])];
#[cfg(target_arch = "aarch64")]
const CALLS: &[(u32, &[u32])] = &[(0xc000_00b7, &[29]), (0x4000_0028, &[54])];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const CALLS: &[(u32, &[u32])] = &[];

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
/// Refused, with "operation not permitted".
const REFUSE: u32 = 0x0005_0000 + 1;
/// Where a call's number, its architecture and its second argument are.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const SECOND: u32 = 24;

/// Returns the filter as bubblewrap takes it. None where the system needs none, or this processor's calls are not known.
pub(super) fn needed() -> Option<Vec<u8>> {
    let is_refused = std::fs::read_to_string(SETTING).is_ok_and(|text| text.trim() == "0");
    (!is_refused && !CALLS.is_empty()).then(program)
}

/// The program: a block for each architecture, which ends by allowing or refusing.
fn program() -> Vec<u8> {
    let mut steps = Vec::new();
    for (architecture, numbers) in CALLS {
        let block = block(numbers);
        steps.push((LOAD, 0, 0, ARCHITECTURE));
        steps.push((JUMP_IF_EQUAL, 0, u8::try_from(block.len()).unwrap_or(u8::MAX), *architecture));
        steps.extend(block);
    }
    steps.push((RETURN, 0, 0, ALLOW));
    let bytes = |(code, yes, no, value): (u16, u8, u8, u32)| {
        let [first, second] = code.to_ne_bytes();
        let [a, b, c, d] = value.to_ne_bytes();
        [first, second, yes, no, a, b, c, d]
    };
    steps.into_iter().flat_map(bytes).collect()
}

fn block(numbers: &[u32]) -> Vec<(u16, u8, u8, u32)> {
    let mut steps = vec![(LOAD, 0, 0, NUMBER)];
    let (count, typing) = (u8::try_from(numbers.len()).unwrap_or(0), u8::try_from(TYPING.len()).unwrap_or(0));
    // Each number leads past the others and past the return that comes after them.
    steps.extend(numbers.iter().zip(1..).map(|(number, at)| (JUMP_IF_EQUAL, count - at + 1, 0, *number)));
    steps.push((RETURN, 0, 0, ALLOW));
    steps.push((LOAD, 0, 0, SECOND));
    steps.extend(TYPING.iter().zip(1..).map(|(call, at)| (JUMP_IF_EQUAL, typing - at + 1, 0, *call)));
    steps.push((RETURN, 0, 0, ALLOW));
    steps.push((RETURN, 0, 0, REFUSE));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the filter says of a call: the kernel's own rules, for the few instructions that it uses.
    fn asked(architecture: u32, number: u32, second: u32) -> u32 {
        let program = program();
        let (mut at, mut loaded) = (0, 0);
        loop {
            let step = &program[at * 8..at * 8 + 8];
            let value = u32::from_ne_bytes(step[4..8].try_into().unwrap());
            at += 1;
            match u16::from_ne_bytes(step[..2].try_into().unwrap()) {
                LOAD if value == NUMBER => loaded = number,
                LOAD if value == ARCHITECTURE => loaded = architecture,
                LOAD => loaded = second,
                JUMP_IF_EQUAL => at += usize::from(if loaded == value { step[2] } else { step[3] }),
                _ => return value,
            }
        }
    }

    #[test]
    fn typing_is_refused_and_nothing_else() {
        for (architecture, numbers) in CALLS {
            for number in *numbers {
                for call in TYPING {
                    assert_eq!(asked(*architecture, *number, call), REFUSE);
                }
                assert_eq!(asked(*architecture, *number, 0x5413), ALLOW, "the window's size");
            }
            assert_eq!(asked(*architecture, 1, TYPING[0]), ALLOW, "another call");
        }
        assert_eq!(asked(0x1234, 16, TYPING[0]), ALLOW, "an architecture that is not known");
    }
}
