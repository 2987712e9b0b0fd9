import { changeOf } from './set-status.ts'

/** Lets a suspended agent run again; its parked executions go on. */
export const resume = changeOf('resumed', 'suspended', 'active')
