/** Name of the queue whose jobs make archives; a job's id is the export's. */
export const exportQueue = 'evidence-export'
