/** The queue whose jobs advance executions; a job's id is the execution's id. */
export const executionQueue = 'executions'
