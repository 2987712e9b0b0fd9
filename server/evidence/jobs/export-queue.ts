/** Name of the queue whose jobs make archives; a job's id is the export's. */
export const exportQueue = 'evidence-archive'

/**
 * The queue of versions before migration 0066. Their processes still work on it during a rolling restart, and would make the
 * archive of a scope without its limits.
 */
export const formerExportQueue = 'evidence-export'
