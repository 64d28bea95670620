//! Logs from files or the input, read in a thread of their own while what they hold is judged.

use crate::replay::Reader;
use crate::replay::report::LineCounts;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Read at once.
const PIECE: usize = 1 << 18;

/// Blocks that may be ready before they are wanted.
const AHEAD: usize = 16;

/// Where reading stands.
pub struct At<'a> {
    /// The file.
    pub file: &'a str,
    /// Bytes taken of it, packed or not, of how many. Of the input it is not known how many.
    pub taken: u64,
    pub total: u64,
}

/// What came of it.
pub struct Done<'a> {
    pub counts: LineCounts,
    /// The file that could not be read to its end; those behind it were not begun.
    pub broken: Option<(&'a str, io::Error)>,
}

/// Reads all files, `-` being the input; `each` gets the blocks in order.
///
/// # Errors
/// What `each` fails with; then nothing more is read.
pub fn read(
    files: &[String],
    mut each: impl FnMut(Vec<u8>, &At<'_>) -> io::Result<()>,
) -> io::Result<Done<'_>> {
    thread::scope(|scope| {
        let (send, blocks) = sync_channel(AHEAD);
        let reading = scope.spawn(move || read_all(files, &send));
        let mut result = Ok(());
        for (block, at) in blocks {
            result = each(block, &at);
            if result.is_err() {
                // The reader finds that nobody listens.
                break;
            }
        }
        result?;
        match reading.join() {
            Ok(done) => Ok(done),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

type Blocks<'a> = SyncSender<(Vec<u8>, At<'a>)>;

fn read_all<'a>(files: &'a [String], blocks: &Blocks<'a>) -> Done<'a> {
    let mut reader = Reader::default();
    let mut broken = None;
    for file in files {
        reader.begin(file);
        broken = read_one(file, &mut reader, blocks)
            .err()
            .map(|error| (file.as_str(), error));
        reader.end();
        if broken.is_some() {
            break;
        }
    }
    let at = At {
        file: "",
        taken: 0,
        total: 0,
    };
    // Nobody listens only where there is nothing more to tell.
    let _ = blocks.send((reader.last(), at));
    Done {
        counts: reader.counts().clone(),
        broken,
    }
}

/// Unpacks what is gzip by its first two bytes.
fn read_one<'a>(file: &'a str, reader: &mut Reader, blocks: &Blocks<'a>) -> io::Result<()> {
    let (total, raw): (u64, Box<dyn Read>) = if file == "-" {
        (0, Box::new(io::stdin().lock()))
    } else {
        let file = std::fs::File::open(file)?;
        (file.metadata()?.len(), Box::new(file))
    };
    let taken = AtomicU64::new(0);
    let mut plain = unpacked(Counted { raw, bytes: &taken })?;
    let mut piece = vec![0; PIECE];
    let mut heard = true;
    while heard {
        let length = match plain.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        reader.feed(piece.get(..length).unwrap_or_default(), |block| {
            let at = At {
                file,
                taken: taken.load(Relaxed),
                total,
            };
            heard &= blocks.send((block, at)).is_ok();
        });
    }
    Ok(())
}

/// What is in it, unpacked where it is gzip: of any number of members, as rotated logs are strung
/// together.
fn unpacked<'a>(mut raw: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    // A pipe may give them one by one.
    let mut start = Vec::new();
    raw.by_ref().take(2).read_to_end(&mut start)?;
    let gzip = start == [0x1f, 0x8b];
    let whole = BufReader::with_capacity(PIECE, io::Cursor::new(start).chain(raw));
    Ok(if gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

/// Counts what is taken from a file, packed or not.
struct Counted<'a> {
    raw: Box<dyn Read>,
    bytes: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.raw.read(into)?;
        self.bytes
            .fetch_add(u64::try_from(length).unwrap_or(u64::MAX), Relaxed);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    /// One byte at a time, each after an interruption.
    struct Slow<'a>(&'a [u8], bool);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let length = into.len().min(1);
            self.0.read(&mut into[..length])
        }
    }

    #[test]
    fn gzip_is_known_however_slowly_it_comes() {
        for text in ["", "a", "ab", "some text\nof two lines\n"] {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(text.as_bytes()).expect("memory");
            let packed = packer.finish().expect("memory");
            for bytes in [text.as_bytes(), &packed] {
                let mut found = String::new();
                let mut plain = unpacked(Slow(bytes, false)).expect("a start");
                plain.read_to_string(&mut found).expect("all of it");
                assert_eq!(found, text);
            }
        }
    }
}
