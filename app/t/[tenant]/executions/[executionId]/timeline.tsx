'use client'

import { useContext } from 'react'
import { StopState } from '#components/executions/stop-state.tsx'
import { JsonView } from '#components/json/json-view.tsx'
import { LinkButton } from '#components/layout/link-button.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Banner } from '#components/ui/feedback/banner.tsx'
import { ErrorPanel } from '#components/ui/feedback/error-panel.tsx'
import { KeyValue, KeyValues } from '#components/ui/text/key-values.tsx'
import { Time, TimeZoneContext } from '#components/ui/text/time.tsx'
import { formatDuration } from '#lib/format.ts'
import { approvalPath, executionPath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { endingOf } from './ending.ts'
import { Journal } from './journal.tsx'
import { StepTable } from './step-table.tsx'

/** The execution's steps, journal, input, output and times. */
export function Timeline({ execution }: { execution: Execution }) {
  const ending = endingOf(execution)
  return (
    <div className="flex flex-col gap-6">
      {ending && <ErrorPanel title={ending.title} effect={ending.effect} advice={ending.advice} />}
      <Stopping execution={execution} />
      <WaitingFor execution={execution} />
      <div className="grid gap-x-10 gap-y-6 wide:grid-cols-[minmax(0,5fr)_minmax(0,3fr)]">
        <div className="flex flex-col gap-6">
          <Section title="Steps">
            <StepTable execution={execution} />
          </Section>
          <Section title="Journal" aside={<Zone />}>
            <Journal execution={execution} />
          </Section>
        </div>
        <div className="flex flex-col gap-6">
          <Section title="Input">
            <JsonView value={execution.input} />
          </Section>
          {execution.output !== null && (
            <Section title="Output">
              <JsonView value={execution.output} />
            </Section>
          )}
          <Section title="Times">
            <Times execution={execution} />
          </Section>
        </div>
      </div>
    </div>
  )
}

/** A banner for a requested stop that is not confirmed yet, or for a suspended agent. */
function Stopping({ execution: { stopRequestedAt, endedAt, parkedAt } }: { execution: Execution }) {
  if (endedAt !== null) return null
  if (stopRequestedAt !== null)
    return (
      <Banner tone="warn">
        A stop was requested <Time at={stopRequestedAt} />. It is not confirmed yet: a call may still be in progress.
      </Banner>
    )
  if (parkedAt === null) return null
  return (
    <Banner tone="warn" urgency="none">
      The agent is suspended. The execution has been parked since <Time at={parkedAt} />, with its deadlines stopped,
      until the agent is resumed.
    </Banner>
  )
}

/** A banner with a link to the input or the approval that the execution waits for. */
function WaitingFor({ execution: { id, status, steps } }: { execution: Execution }) {
  const { tenant } = useSession()
  if (status === 'waiting_input')
    return (
      <Banner
        tone="hold"
        urgency="none"
        action={<LinkButton href={executionPath(tenant, id, { tab: 'waits' })}>Open the waits</LinkButton>}
      >
        The execution is waiting for external input. No step runs until it arrives, and the wait survives a restart of
        the server.
      </Banner>
    )
  const approvalId = steps.find((step) => step.status === 'waiting_approval')?.approvalId
  if (status !== 'waiting_approval' || approvalId == null) return null
  return (
    <Banner
      tone="hold"
      urgency="none"
      action={<LinkButton href={approvalPath(tenant, approvalId)}>Open the request</LinkButton>}
    >
      The execution is waiting for a person’s decision. No step runs until then, and the wait survives a restart of the
      server.
    </Banner>
  )
}

function Zone() {
  const zone = useContext(TimeZoneContext)
  return <span className="text-dense text-ink-2">Times in {zone}</span>
}

function Times({ execution }: { execution: Execution }) {
  const { status, createdAt, startedAt, endedAt, deadlineAt, stopRequestedAt, stopConfirmedAt } = execution
  return (
    <KeyValues>
      <KeyValue name="Requested">
        <Time at={createdAt} />
      </KeyValue>
      <KeyValue name="Started">{startedAt === null ? 'Not yet' : <Time at={startedAt} />}</KeyValue>
      {stopRequestedAt !== null && (
        <>
          <KeyValue name="Stop requested">
            <Time at={stopRequestedAt} />
          </KeyValue>
          <KeyValue name="Stop confirmed">
            <StopState stop={{ status, stopRequestedAt, stopConfirmedAt }} />
          </KeyValue>
        </>
      )}
      {endedAt === null ? (
        <KeyValue name="Must end by">
          {status === 'waiting_approval' || status === 'waiting_input' ? (
            'Paused while it waits for people'
          ) : deadlineAt === null ? (
            'No limit'
          ) : (
            <Time at={deadlineAt} />
          )}
        </KeyValue>
      ) : (
        <KeyValue name="Ended">
          <Time at={endedAt} />
          {startedAt !== null && `, after ${formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}`}
        </KeyValue>
      )}
    </KeyValues>
  )
}
