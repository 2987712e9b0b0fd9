import { changeOf } from './set-status.ts'

/** Retires a suspended agent permanently and ends its parked executions. */
export const retire = changeOf('retired', 'suspended', 'retired')
