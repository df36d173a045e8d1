//! The distribution of many times.

use hdrhistogram::Histogram;

/// A distribution of times, good to three figures, in memory that does not grow with their number.
///
/// ```
/// use gridmill_data::bench::Distribution;
///
/// let times: Distribution = (1..=100).collect();
/// assert_eq!((times.len(), times.least(), times.most()), (100, 1, 100));
/// assert_eq!(times.within(0.9), 90);
/// assert_eq!(times.values().map(|(_, count)| count).sum::<u64>(), 100);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    histogram: Histogram<u64>,
    extremes: Option<(u64, u64)>,
}

impl Distribution {
    /// Returns how many times there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.histogram.len()
    }

    /// Returns whether there are no times.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.histogram.is_empty()
    }

    /// Returns the least time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn least(&self) -> u64 {
        self.extremes.map_or(0, |(least, _)| least)
    }

    /// Returns the greatest time, in nanoseconds; 0 if there is none.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.extremes.map_or(0, |(_, most)| most)
    }

    /// Returns the time, in nanoseconds, within which a share (0 to 1) of the times stays.
    #[must_use]
    pub fn within(&self, share: f64) -> u64 {
        self.histogram.value_at_quantile(share).clamp(self.least(), self.most())
    }

    /// Returns the values in rising order, and how often each occurs.
    pub fn values(&self) -> impl Iterator<Item = (u64, u64)> {
        let values = self.histogram.iter_recorded();
        values.map(|value| {
            let nanos = value.value_iterated_to().clamp(self.least(), self.most());
            (nanos, value.count_at_value())
        })
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(nanos: I) -> Distribution {
        let mut histogram = Histogram::new(3).expect("three figures can be kept");
        let mut extremes: Option<(u64, u64)> = None;
        for nanos in nanos {
            histogram.record(nanos).expect("the histogram grows");
            let (least, most) = extremes.unwrap_or((nanos, nanos));
            extremes = Some((least.min(nanos), most.max(nanos)));
        }
        Distribution { histogram, extremes }
    }
}
