import {
  groupChangeDecided,
  passwordResetDecided,
  roleGrantDecided,
  settingChangeDecided,
} from '#server/access/changes/on-decided.ts'
import { linkStillOpen } from '#server/access/members/link-still-open.ts'
import { describeAgent } from '#server/agents/describe.ts'
import { onAgentStop } from '#server/agents/stops.ts'
import { approvalMoments } from '#server/approvals/clock/run-moments.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { stillPending } from '#server/approvals/mails/still-pending.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { describeApproval } from '#server/approvals/telling/describe.ts'
import { describeAlarm } from '#server/audit/alarms/describe.ts'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { adoptionMemory } from '#server/audit/sealing/adoption-memory.ts'
import { describeExport } from '#server/evidence/describe.ts'
import { evidenceExports, formerExports } from '#server/evidence/jobs/export-jobs.ts'
import { describeExecution } from '#server/executions/describe.ts'
import { inputMasks } from '#server/executions/input-masks.ts'
import { advanceExecutions, inputArrived, toolCallDecided } from '#server/executions/jobs.ts'
import { stopVerdicts } from '#server/executions/stop/stop.ts'
import { agentResumed, agentRetired, agentSuspended } from '#server/executions/stop/stop-agent.ts'
import { taskCancels } from '#server/executions/stop/stop-task.ts'
import { externalCallDecided } from '#server/external-agents/on-decided.ts'
import { askAgain, askDelivered, askStillWanted } from '#server/inputs/ask-by-mail.ts'
import { waitExpiry } from '#server/inputs/expire-waits.ts'
import { onInput, onMask, onRetry } from '#server/inputs/listeners.ts'
import { onFirstSignIn } from '#server/kernel/auth/external/first-sign-in.ts'
import { onForeignToken } from '#server/kernel/auth/external/follow-token.ts'
import { connectAdoptionMemory } from '#server/kernel/bound/adoption-memory.ts'
import { onIntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { JobHandler } from '#server/kernel/queue.ts'
import { onDelivery } from '#server/mail/delivery-changes.ts'
import { mailing } from '#server/mail/jobs.ts'
import { onAnotherAttempt } from '#server/mail/still-wanted.ts'
import { notifications } from '#server/notifications/deliver.ts'
import { onDescribe } from '#server/notifications/describe.ts'
import { bindingDecided } from '#server/policies/bindings/binding.ts'
import { erasures } from '#server/privacy/jobs.ts'
import { releaseDecided } from '#server/releases/release.ts'
import { grantExpiry } from '#server/standing-grants/expiry.ts'
import { standingGrantDecided } from '#server/standing-grants/on-decided.ts'
import { signInFirst } from '#server/tenants/first-sign-in.ts'
import { followToken } from '#server/tenants/provider/follow-token.ts'
import { unmaskDecided } from '#server/traces/unmask.ts'

/** Background jobs of a process, one line for each queue. */
export const jobs: readonly JobHandler[] = [
  advanceExecutions,
  stopVerdicts,
  taskCancels,
  expiry,
  approvalMoments,
  grantExpiry,
  waitExpiry,
  evidenceExports,
  formerExports,
  mailing,
  notifications,
  erasures,
]

/**
 * Connects domains that don't import each other: the effects of one domain's decisions, inputs, stops and admissions in
 * another.
 */
export function registerDecisions(): void {
  onDecided('external_call', externalCallDecided)
  onDecided('group_change', groupChangeDecided)
  onDecided('password_reset', passwordResetDecided)
  onDecided('policy_binding', bindingDecided)
  onDecided('release', releaseDecided)
  onDecided('role_grant', roleGrantDecided)
  onDecided('setting_change', settingChangeDecided)
  onDecided('standing_grant', standingGrantDecided)
  onDecided('tool_call', toolCallDecided)
  onDecided('unmask', unmaskDecided)
  connectAdoptionMemory(adoptionMemory)
  onIntegrityFailed(({ tenantId, type, id, reason }) =>
    raiseAlarm(tenantId, { kind: 'object', subject: `${type}/${id}`, reason }),
  )
  onDescribe('agent', describeAgent)
  onDescribe('alarm', describeAlarm)
  onDescribe('approval', describeApproval)
  onDescribe('execution', describeExecution)
  onDescribe('export', describeExport)
  onDelivery('input_request', askDelivered)
  onAnotherAttempt('approval_request', stillPending)
  onAnotherAttempt('input_request', askStillWanted)
  onAnotherAttempt('sign_in_link', linkStillOpen)
  onInput(inputArrived)
  onMask(inputMasks)
  onRetry('mail', askAgain)
  onAgentStop('suspended', agentSuspended)
  onAgentStop('resumed', agentResumed)
  onAgentStop('retired', agentRetired)
  onFirstSignIn(signInFirst)
  onForeignToken(followToken)
}
