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
      advice={unknown ? 'Start it again. The same input starts at most one execution.' : advice(failure)}
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

/** Attempts that are recorded in the audit log. */
const RECORDED = new Set<Failure['code']>(['policy_binding_required', 'release_required', 'agent_suspended'])

const effectOf = (failure: Failure): string =>
  RECORDED.has(failure.code) || deniedExecution(failure) !== undefined
    ? 'Nothing ran. The attempt is recorded in the audit log.'
    : 'Nothing was changed.'

/** Returns the id of the stored execution if its first call was denied. */
const deniedExecution = ({ details: { status, executionId } }: Failure): string | undefined =>
  status === 'denied' && typeof executionId === 'string' ? executionId : undefined

const titleOf = (unknown: boolean, denied: string | undefined): string =>
  denied !== undefined
    ? 'The first call of the execution was denied.'
    : unknown
      ? 'It is unknown whether the execution was started.'
      : 'The execution was not started.'

const needsAgentPage = ({ code }: Failure): boolean => RECORDED.has(code)

function advice(failure: Failure) {
  switch (failure.code) {
    case 'policy_binding_required':
      return 'Propose a policy binding for this environment on the agent’s page. Another reviewer has to approve it.'
    case 'release_required':
      return 'Propose a release for this environment on the agent’s page. Another reviewer has to approve it.'
    case 'agent_suspended':
      return 'An operator can resume it.'
    case 'validation_failed':
      return failure.issues.map(({ path, message }) => `${path}: ${message}`).join(' ')
    case 'policy_denied':
      return 'The execution’s page shows the rule that denied it. Change the input, or have the policy changed.'
    case 'no_eligible_approver':
      return 'No one in the approver group can decide it. Add a reviewer to the group.'
    case 'event_conflict':
      return 'Check the list of executions: one was already started with a different input.'
    default:
      return adviceFor(failure)
  }
}
