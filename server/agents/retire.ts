import { changeOf } from './set-status.ts'

/** Ends a suspended agent for good, and what was parked with it. */
export const retire = changeOf('retired', 'suspended', 'retired')
