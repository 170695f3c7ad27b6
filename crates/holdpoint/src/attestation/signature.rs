//! Signatures by SSH keys, made and checked by `ssh-keygen`. They are made for a namespace of their own, so that none can
//! pass for a signature of a commit, and none of a commit for one of these.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use thiserror::Error;

use super::base64;
use super::envelope::Signature;
use super::git::with_input;
use super::repository::{Repository, RepositoryError};
use crate::store::atomic;

/// What the signatures are for.
pub const NAMESPACE: &str = "holdpoint-receipt";
const PROGRAM: &str = "ssh-keygen";
const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
/// How long a line of an armored signature is.
const LINE: usize = 70;

/// The reason why nothing was signed, or a signature does not count.
#[derive(Debug, Error)]
pub enum SignatureError {
    /// The program cannot be run.
    #[error("`{program}` could not be run")]
    Run {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The key was not used.
    #[error("`{program}` did not sign: {message}")]
    NotSigned {
        /// The program.
        program: String,
        /// The end of what it said.
        message: String,
    },
    /// The signature is not by an allowed signer, not for this, or not of this text.
    #[error("the signature is not by an allowed signer")]
    NotAllowed,
    /// It is none.
    #[error("the signature cannot be read")]
    Unreadable,
    /// Nobody has said whose keys count.
    #[error("it is signed, but no file says whose keys count")]
    NobodyAllowed,
    /// There is no signature.
    #[error("it is not signed")]
    Unsigned,
    /// The repository cannot be asked.
    #[error(transparent)]
    Repository(#[from] RepositoryError),
}

/// The key with which git signs.
#[derive(Debug)]
pub struct Key {
    program: String,
    key: KeyPlace,
}

#[derive(Debug)]
enum KeyPlace {
    File(PathBuf),
    /// The public key itself; an agent has the private one.
    Literal(String),
}

impl Key {
    /// Finds the key with which git signs commits; none if git does not sign with SSH keys.
    pub fn of(repository: &Repository) -> Result<Option<Key>, RepositoryError> {
        if repository.setting(&["--get", "gpg.format"])?.as_deref() != Some("ssh") {
            return Ok(None);
        }
        let Some(named) = repository.setting(&["--get", "user.signingKey"])? else { return Ok(None) };
        let key = match named.strip_prefix("key::") {
            Some(literal) => KeyPlace::Literal(literal.to_owned()),
            None if named.starts_with("ssh-") => KeyPlace::Literal(named),
            None => {
                let path = repository.setting(&["--type=path", "--get", "user.signingKey"])?;
                KeyPlace::File(PathBuf::from(path.unwrap_or(named)))
            }
        };
        let program = repository.setting(&["--type=path", "--get", "gpg.ssh.program"])?;
        Ok(Some(Key { program: program.unwrap_or_else(|| PROGRAM.to_owned()), key }))
    }

    /// Signs a text. The program may ask the user for a passphrase or a touch.
    pub fn sign(&self, text: &str) -> Result<Signature, SignatureError> {
        let failed = |source| SignatureError::Run { program: self.program.clone(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(["-Y", "sign", "-n", NAMESPACE, "-f"]);
        match &self.key {
            KeyPlace::File(path) => command.arg(path),
            KeyPlace::Literal(key) => {
                let path = folder.path().join("key.pub");
                atomic::create(&path, format!("{key}\n").as_bytes()).map_err(failed)?;
                command.arg(path).arg("-U")
            }
        };
        let output = with_input(&mut command, text.as_bytes()).map_err(failed)?;
        let sig = unarmored(&String::from_utf8_lossy(&output.stdout)).filter(|_| output.status.success());
        let message =
            || String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
        let not = || SignatureError::NotSigned { program: self.program.clone(), message: message() };
        Ok(Signature { keyid: None, sig: sig.ok_or_else(not)? })
    }
}

/// The file that says whose keys count.
#[derive(Clone, Debug)]
pub struct AllowedSigners {
    file: PathBuf,
}

impl AllowedSigners {
    /// The signers of a file that the user has named.
    pub fn in_file(file: PathBuf) -> AllowedSigners {
        AllowedSigners { file }
    }

    /// The signers that git's configuration names, if it names any.
    pub fn of(repository: &Repository) -> Result<Option<AllowedSigners>, RepositoryError> {
        let named = repository.setting(&["--type=path", "--get", "gpg.ssh.allowedSignersFile"])?;
        Ok(named.map(|file| AllowedSigners { file: repository.root().join(file) }))
    }

    /// Returns who has signed a text, if that is one of the signers. One good signature is enough.
    pub fn verify(&self, text: &str, signatures: &[Signature]) -> Result<String, SignatureError> {
        let mut why = SignatureError::Unsigned;
        for signature in signatures {
            match self.verify_one(text, signature) {
                Ok(signer) => return Ok(signer),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    fn verify_one(&self, text: &str, signature: &Signature) -> Result<String, SignatureError> {
        let failed = |source| SignatureError::Run { program: PROGRAM.to_owned(), source };
        let folder = tempfile::tempdir().map_err(failed)?;
        let file = armored_file(&folder, signature)?;
        let found = self.asked(&["-Y", "find-principals"], &file, "").map_err(failed)?;
        let names = String::from_utf8_lossy(&found.stdout).into_owned();
        for name in names.lines().map(str::trim).filter(|name| !name.is_empty()) {
            let verified = self.asked(&["-Y", "verify", "-n", NAMESPACE, "-I", name], &file, text);
            if verified.map_err(failed)?.status.success() {
                return Ok(name.to_owned());
            }
        }
        Err(SignatureError::NotAllowed)
    }

    fn asked(&self, args: &[&str], signature: &Path, text: &str) -> io::Result<Output> {
        let mut command = Command::new(PROGRAM);
        command.args(args).arg("-f").arg(&self.file).arg("-s").arg(signature);
        with_input(&mut command, text.as_bytes())
    }
}

/// Writes a signature as `ssh-keygen` reads it.
fn armored_file(folder: &TempDir, signature: &Signature) -> Result<PathBuf, SignatureError> {
    // Decoded and encoded again, nothing else than Base64 gets into the file.
    let bytes = base64::decode(&signature.sig).ok_or(SignatureError::Unreadable)?;
    let text = base64::encode(&bytes);
    let mut armored = format!("{BEGIN}\n");
    for line in text.as_bytes().chunks(LINE) {
        armored.push_str(&String::from_utf8_lossy(line));
        armored.push('\n');
    }
    armored.push_str(END);
    armored.push('\n');
    let path = folder.path().join("signature");
    let failed = |source| SignatureError::Run { program: PROGRAM.to_owned(), source };
    atomic::create(&path, armored.as_bytes()).map_err(failed)?;
    Ok(path)
}

/// Returns the Base64 of an armored signature.
fn unarmored(text: &str) -> Option<String> {
    let (_, after) = text.split_once(BEGIN)?;
    let (inside, _) = after.split_once(END)?;
    let sig: String = inside.split_whitespace().collect();
    base64::decode(&sig).filter(|bytes| !bytes.is_empty()).map(|_| sig)
}
