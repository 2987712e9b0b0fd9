'use client'

import Link from 'next/link'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import type { Failure } from '#lib/failure.ts'
import { agentPath, executionPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import { toFailure } from '#lib/trpc.ts'

/** Why the server did not start the execution, and what to do about it. */
export function Refused({ error, agent }: { error: unknown; agent: AgentSummary }) {
  const { tenant } = useSession()
  const failure = toFailure(error)
  const unknown = failure.code === 'network' || failure.code === 'timeout'
  const denied = deniedExecution(failure)
  return (
    <ErrorPanel
      title={titleOf(unknown, denied)}
      effect={unknown ? failure.message : `${failure.message} ${effectOf(failure)}`}
      advice={unknown ? 'Start it again: the same input starts it once at most.' : advice(failure)}
      requestId={failure.requestId}
      action={
        denied !== undefined ? (
          <Link href={executionPath(tenant, denied)} className="text-link inline-flex min-h-6 items-center">
            Open the denied execution
          </Link>
        ) : needsAgentPage(failure) ? (
          <Link href={agentPath(tenant, agent.id)} className="text-link inline-flex min-h-6 items-center">
            Open {agent.displayName}
          </Link>
        ) : undefined
      }
    />
  )
}

/** These attempts are kept in the audit log. */
const RECORDED = new Set<Failure['code']>(['policy_binding_required', 'release_required', 'agent_suspended'])

const effectOf = (failure: Failure): string =>
  RECORDED.has(failure.code) || deniedExecution(failure) !== undefined
    ? 'Nothing ran; the attempt is recorded.'
    : 'Nothing was changed.'

/** The execution that was kept because its first call was denied. */
const deniedExecution = ({ details: { status, executionId } }: Failure): string | undefined =>
  status === 'denied' && typeof executionId === 'string' ? executionId : undefined

const titleOf = (unknown: boolean, denied: string | undefined): string =>
  denied !== undefined
    ? 'The first call of the execution was denied.'
    : unknown
      ? 'We do not know whether the execution was started.'
      : 'The execution was not started.'

const needsAgentPage = ({ code }: Failure): boolean => RECORDED.has(code)

function advice(failure: Failure) {
  switch (failure.code) {
    case 'policy_binding_required':
      return 'Propose a policy binding for this environment on the agent’s page; an approver who is not you decides it.'
    case 'release_required':
      return 'Propose a release for this environment on the agent’s page; an approver who is not you decides it.'
    case 'agent_suspended':
      return 'An operator can resume it.'
    case 'validation_failed':
      return failure.issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
    case 'policy_denied':
      return 'Its page shows which rule decided. Change the input, or have the policy changed.'
    case 'no_eligible_approver':
      return 'Nobody in the approver group could decide it: the group has to be changed.'
    case 'event_conflict':
      return 'Look at the list of executions: one with another input was started before.'
    default:
      return adviceFor(failure)
  }
}
