import { changeOf } from './set-status.ts'

/** Lets a suspended agent run again and continues its parked executions. */
export const resume = changeOf('resumed', 'suspended', 'active')
