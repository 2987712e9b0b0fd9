/** The queue whose jobs carry executions on; a job's id is the execution's. */
export const executionQueue = 'executions'
