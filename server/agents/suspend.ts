import { changeOf } from './set-status.ts'

/** The kill switch: what runs ends within five seconds, what waits is parked, nothing new starts. */
export const suspend = changeOf('suspended', 'active', 'suspended')
