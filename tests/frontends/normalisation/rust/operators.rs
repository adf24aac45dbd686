use std::collections::HashMap;

/// Counts words. /* Not nested in a line. */
pub struct Counter<'a> {
    counts: HashMap<&'a str, u64>,
    mark: char,
}

impl<'a> Counter<'a> {
    pub fn new() -> Self {
        Counter { counts: HashMap::new(), mark: '\'' }
    }

    /* Adds /* all */ words. */
    pub fn add(&mut self, text: &'a str) -> Result<usize, String> {
        if text.len() > 0xFF_usize {
            return Err(format!("too long: {}", text));
        }
        for word in text.split(' ') {
            *self.counts.entry(word).or_insert(0) += 1;
        }
        let quoted = r#"a "raw" string"#;
        let bytes = b"bytes\n";
        let share = 1.5e-3 + bytes.len() as f64 * 2.0;
        println!("{} {}", quoted, share);
        (0..10).for_each(drop);
        Ok(self.counts.len())
    }
}
