// What a monitor may ask of the audit log.
export { findLogState as logState } from './state-store.ts'
