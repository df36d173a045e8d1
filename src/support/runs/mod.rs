//! The run of a job, the stages of a run, and requests to end it.

pub(crate) mod interrupt;
pub(crate) mod job_run;
pub(crate) mod stages;
