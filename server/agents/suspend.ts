import { changeOf } from './set-status.ts'

/** The kill switch: running executions end within five seconds, waiting ones are parked, and no new ones start. */
export const suspend = changeOf('suspended', 'active', 'suspended')
