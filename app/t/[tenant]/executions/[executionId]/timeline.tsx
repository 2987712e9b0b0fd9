'use client'

import Link from 'next/link'
import { JsonView } from '#components/json/json-view.tsx'
import { Section } from '#components/page/section.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import { Banner } from '#components/ui/banner.tsx'
import { ErrorPanel } from '#components/ui/error-panel.tsx'
import { KeyValue, KeyValues } from '#components/ui/key-values.tsx'
import { Time } from '#components/ui/time.tsx'
import { formatDuration } from '#lib/format.ts'
import { approvalPath } from '#lib/paths.ts'
import type { Execution } from '#lib/schemas/executions.ts'
import { endingOf } from './ending.ts'
import { Journal } from './journal.tsx'
import { StepTable } from './step-table.tsx'

/** What the execution was asked, what it did, and how it ended. */
export function Timeline({ execution }: { execution: Execution }) {
  const ending = endingOf(execution)
  return (
    <div className="flex max-w-240 flex-col gap-6">
      {ending && <ErrorPanel title={ending.title} effect={ending.effect} advice={ending.advice} />}
      <WaitingFor execution={execution} />
      <Section title="Steps">
        <StepTable execution={execution} />
      </Section>
      <Section title="Journal">
        <Journal execution={execution} />
      </Section>
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
  )
}

/** The request that holds the execution up, where it waits for one. */
function WaitingFor({ execution: { status, steps } }: { execution: Execution }) {
  const { tenant } = useSession()
  const approvalId = steps.find((step) => step.status === 'waiting_approval')?.approvalId
  if (status !== 'waiting_approval' || approvalId == null) return null
  return (
    <Banner
      tone="hold"
      urgency="none"
      action={
        <Link
          href={approvalPath(tenant, approvalId)}
          prefetch={false}
          className="inline-flex min-h-9 items-center border border-line-strong bg-surface px-3 py-1.5 text-ink hover:bg-selected"
        >
          Open the request
        </Link>
      }
    >
      It waits for a person’s decision. Nothing runs meanwhile, and nothing is lost when the server stops.
    </Banner>
  )
}

function Times({ execution: { status, createdAt, startedAt, endedAt, deadlineAt } }: { execution: Execution }) {
  return (
    <KeyValues>
      <KeyValue name="Asked for">
        <Time at={createdAt} />
      </KeyValue>
      <KeyValue name="Began">{startedAt === null ? 'Not yet' : <Time at={startedAt} />}</KeyValue>
      {endedAt === null ? (
        <KeyValue name="Must end by">
          {status === 'waiting_approval' || status === 'waiting_input' ? (
            'Its clock stands still while it waits for people'
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
