import { text } from '#components/language/text.ts'

// The audit records of an execution, and its trace.

export const relatedObjects = text('Related objects')
export const auditRecords = text('Audit records')
export const seeAuditLog = text('see the audit log')
export const evidenceExport = text('Evidence export')
export const evidenceExportContainsExecutions = text(
  'An evidence export contains the executions, decisions, traces and audit records of a period with their proofs, in one archive that can be verified without this server. This execution was requested on <at>time</at>; choose a period that includes that day.',
)
export const exportEvidence = text('Export evidence')
export const execution = text('Execution')
export const executionId = text('execution ID')
export const release = text('Release')
export const releaseId = text('release ID')
export const trace = text('Trace')
export const approvalOf = text('Approval of {title}')
export const auditRecordsAboutExecution = text('Audit records about the execution')
export const theAudit = text('The audit records')
export const noAuditRecordsWere = text('No audit records were found.')
export const everyChangeOfExecution = text(
  'Every change of an execution is recorded in the same transaction, so this list should not be empty. Contact support.',
)
export const what = text('What')
export const reason = text('Reason')
export const when = text('When')
export const seeTraces = text('see traces')
export const waitingForExecutionTo = text('Waiting for the execution to start…')
export const waitingForTraceTo = text('Waiting for the trace to start…')
export const theTrace = text('The trace')
export const openTraceOnIts = text('Open the trace on its own page')
export const compareWithAnotherRun = text('Compare with another run')
