//! Six colours for six classes of size, told apart by lightness alone, so by people who see fewer hues too.
//!
//! A class is a share of the arena, four times that of the next one. The ramp falls in lightness from the smallest
//! class to the largest, and every colour stands out from a light page as well as from a dark one.

/// The class of the largest sizes first.
pub const COLOURS: [&str; 6] = ["#5b3a91", "#3f6aa5", "#2f918f", "#4fb374", "#9fce58", "#eedd62"];

/// The text on a box of each class.
pub const INKS: [&str; 6] = ["#ffffff", "#ffffff", "#ffffff", "#10241a", "#1c2410", "#2a2508"];

/// How the legend calls each class.
pub const SHARES: [&str; 6] = ["1/4 or more", "1/16", "1/64", "1/256", "1/1024", "less"];

pub struct Theme {
    pub page: &'static str,
    /// Bytes of the arena that nobody uses.
    pub free: &'static str,
    pub text: &'static str,
    pub faint: &'static str,
    /// The lower bound and the peak.
    pub mark: &'static str,
    /// The live bytes.
    pub curve: &'static str,
}

pub const LIGHT: Theme =
    Theme { page: "#ffffff", free: "#eceef1", text: "#1d2129", faint: "#6a7280", mark: "#c2410c", curve: "#9aa5b5" };

pub const DARK: Theme =
    Theme { page: "#14171c", free: "#262b33", text: "#e8eaee", faint: "#98a1b0", mark: "#ff9b57", curve: "#5f6b7c" };

/// The class of a size: 0 has a quarter of the arena or more, the last one less than a 1024th.
pub fn class(size: usize, arena: usize) -> usize {
    let last = COLOURS.len() - 1;
    (0..last).find(|&class| (size as u128) << (2 * (class + 1)) >= arena as u128).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of sRGB, as the guidelines for accessible web content define it.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        0.2126 * linear(channel(1)) + 0.7152 * linear(channel(3)) + 0.0722 * linear(channel(5))
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn each_class_is_lighter_than_the_next_larger_one() {
        for pair in COLOURS.windows(2) {
            assert!(luminance(pair[1]) > luminance(pair[0]) && contrast(pair[0], pair[1]) > 1.25, "{pair:?}");
        }
    }

    #[test]
    fn a_box_stands_out_from_free_bytes_and_its_name_from_the_box() {
        for (colour, ink) in COLOURS.into_iter().zip(INKS) {
            for theme in [LIGHT, DARK] {
                assert!(contrast(colour, theme.free) > 1.15, "{colour} on {}", theme.free);
            }
            assert!(contrast(colour, ink) > 3.5, "{ink} on {colour}");
        }
    }

    #[test]
    fn text_can_be_read_on_its_page() {
        for theme in [LIGHT, DARK] {
            for ink in [theme.text, theme.faint, theme.mark] {
                assert!(contrast(ink, theme.page) >= 4.5, "{ink} on {}", theme.page);
            }
        }
    }

    #[test]
    fn a_class_begins_at_a_quarter_of_the_class_before() {
        assert_eq!([1024, 256, 255, 64, 63, 16, 4, 1].map(|size| class(size, 1024)), [0, 0, 1, 1, 2, 2, 3, 4]);
        assert_eq!((class(0, 1024), class(1, 1025), class(0, 0)), (5, 5, 0));
        assert_eq!(class(usize::MAX, usize::MAX), 0);
    }
}
