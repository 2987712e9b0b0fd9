'use client'

import Link from 'next/link'
import { isUnknown } from '#components/api/use-act.ts'
import { failureText } from '#components/session/failure-text.ts'
import { adviceFor } from '#components/session/request-failed.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/execution-start/en.ts'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { issuesInWords } from '#lib/errors.ts'
import type { Failure } from '#lib/failure.ts'
import { agentPath, executionPath } from '#lib/paths.ts'
import type { AgentSummary } from '#lib/schemas/agents.ts'
import { toFailure } from '#lib/trpc.ts'

/** Why the server did not start the execution, and what to do about it. */
export function Refused({ error, agent }: { error: unknown; agent: AgentSummary }) {
  const { tenant } = useSession()
  const failure = toFailure(error)
  const unknown = isUnknown(failure)
  const denied = deniedExecution(failure)
  return (
    <ErrorPanel
      title={titleOf(unknown, denied)}
      effect={unknown ? failureText(failure) : `${failureText(failure)} ${effectOf(failure)}`}
      advice={unknown ? t.startItAgainSame : advice(failure)}
      requestId={failure.requestId}
      action={
        denied !== undefined ? (
          <Link href={executionPath(tenant, denied)} className="text-link inline-flex min-h-6 items-center">
            {t.openDeniedExecution}
          </Link>
        ) : needsAgentPage(failure) ? (
          <Link href={agentPath(tenant, agent.id)} className="text-link inline-flex min-h-6 items-center">
            {t.open({ agent: agent.displayName })}
          </Link>
        ) : undefined
      }
    />
  )
}

/** Attempts that are recorded in the audit log. */
const RECORDED = new Set<Failure['code']>(['policy_binding_required', 'release_required', 'agent_suspended'])

const effectOf = (failure: Failure): string =>
  RECORDED.has(failure.code) || deniedExecution(failure) !== undefined ? t.nothingRanAttemptIs : t.nothingWasChanged

/** Returns the id of the stored execution if its first call was denied. */
const deniedExecution = ({ details: { status, executionId } }: Failure): string | undefined =>
  status === 'denied' && typeof executionId === 'string' ? executionId : undefined

const titleOf = (unknown: boolean, denied: string | undefined): string =>
  denied !== undefined ? t.firstCallOfExecution : unknown ? t.itIsUnknownWhether : t.executionWasNotStarted

const needsAgentPage = ({ code }: Failure): boolean => RECORDED.has(code)

function advice(failure: Failure) {
  switch (failure.code) {
    case 'policy_binding_required':
      return t.proposePolicyBindingFor
    case 'release_required':
      return t.proposeReleaseForThis
    case 'agent_suspended':
      return t.operatorCanResumeIt
    case 'validation_failed':
      return issuesInWords(failure.issues)
    case 'policy_denied':
      return t.executionsPageShowsRule
    case 'no_eligible_approver':
      return t.noOneInApprover
    case 'event_conflict':
      return t.checkListOfExecutions
    default:
      return adviceFor(failure)
  }
}
