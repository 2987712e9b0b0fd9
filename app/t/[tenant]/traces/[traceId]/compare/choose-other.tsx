'use client'

import Link from 'next/link'
import { useRouter } from 'next/navigation'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useApi } from '#components/api/api.tsx'
import { usePages } from '#components/api/use-pages.ts'
import { EffectTitle } from '#components/executions/effect-title.tsx'
import { ExecutionStatusShape } from '#components/executions/execution-status.tsx'
import { Took } from '#components/executions/took.tsx'
import { formatDuration, formatNumber } from '#components/language/formats.ts'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { Section } from '#components/page/section.tsx'
import { failureText } from '#components/session/failure-text.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/trace-compare/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { TextField } from '#components/ui/controls/text-field.tsx'
import { EmptyState } from '#components/ui/feedback/empty-state.tsx'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { compareTracesPath } from '#lib/paths.ts'
import type { ExecutionSummary } from '#lib/schemas/executions.ts'
import { type Answers, toFailure, useTRPC } from '#lib/trpc.ts'
import { pastedId } from './pasted-id.ts'

type Trace = Answers['traces']['getTrace']['trace']
type TraceRow = Answers['traces']['list']['items'][number]

/** Runs in the list that is offered. */
const offered = 10

/** The last runs of the same agent, and a field for the id of any other. */
export function ChooseOther({ trace }: { trace: Trace }) {
  const { can } = useSession()
  return (
    <div className="flex flex-col gap-8">
      <PasteId trace={trace} />
      <Section title={trace.agentName === null ? t.lastTraces : t.lastRunsOfSame}>
        {trace.executionId !== null && trace.agentId !== null && can('execution:read') ? (
          <LastExecutions traceId={trace.traceId} agentId={trace.agentId} />
        ) : (
          <LastTraces trace={trace} />
        )}
      </Section>
    </div>
  )
}

function PasteId({ trace: { traceId } }: { trace: Trace }) {
  const { tenant } = useSession()
  const { client } = useApi()
  const router = useRouter()
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  async function compare(event: FormEvent) {
    event.preventDefault()
    const pasted = pastedId(text)
    if (pasted === undefined) return setProblem(t.pasteIdOrAddress)
    setBusy(true)
    try {
      const other =
        'traceId' in pasted ? pasted.traceId : (await client.executions.get.query({ id: pasted.executionId })).traceId
      if (other === traceId) setProblem(t.thatIsThisTrace)
      else router.push(compareTracesPath(tenant, traceId, { with: other }))
    } catch (error) {
      const failure = toFailure(error)
      setProblem(failure.code === 'not_found' ? t.executionCantBeFound : failureText(failure))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void compare(event)} className="flex max-w-2xl flex-wrap items-end gap-3">
      <div className="min-w-60 flex-1">
        <TextField
          label={t.idOrAddressOf}
          value={text}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            setText(target.value)
            setProblem(undefined)
          }}
        />
      </div>
      <Button type="submit" variant="primary" busyLabel={busy ? t.lookingItUp : undefined}>
        {t.compare}
      </Button>
    </form>
  )
}

function LastExecutions({ traceId, agentId }: { traceId: string; agentId: string }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const pages = usePages(trpc.executions.list, { agentId, limit: offered })
  const columns: Column<ExecutionSummary>[] = [
    {
      key: 'effect',
      header: t.execution,
      rowHeader: true,
      cell: (row) => (
        <CompareLink href={compareTracesPath(tenant, traceId, { with: row.traceId })}>
          <EffectTitle execution={row} />
        </CompareLink>
      ),
    },
    { key: 'status', header: t.state, cell: ({ status }) => <ExecutionStatusShape status={status} /> },
    { key: 'version', header: t.version, cell: (row) => <ShownText>{row.agentVersion}</ShownText> },
    { key: 'began', header: t.started, cell: ({ createdAt }) => <Time at={createdAt} show="relative" /> },
    { key: 'took', header: t.took, align: 'end', cell: (row) => <Took execution={row} /> },
  ]
  return (
    <PagedTable
      pages={{ ...pages, items: pages.items?.filter((row) => row.traceId !== traceId) }}
      caption={t.lastRunsOfSame}
      columns={columns}
      rowKey={({ id }) => id}
      failed={{ what: t.theExecutions, act: t.seeExecutions, permission: 'execution:read' }}
      empty={<EmptyState title={t.agentHasNotRun}>{t.pasteIdOfAnother}</EmptyState>}
    />
  )
}

function LastTraces({ trace: { traceId, agentId, agentName } }: { trace: Trace }) {
  const trpc = useTRPC()
  const { tenant } = useSession()
  const same = agentId !== null ? { agentId } : agentName !== null ? { agent: agentName } : {}
  const pages = usePages(trpc.traces.list, { ...same, limit: offered })
  const columns: Column<TraceRow>[] = [
    {
      key: 'name',
      header: t.trace,
      rowHeader: true,
      cell: (row) => (
        <CompareLink href={compareTracesPath(tenant, traceId, { with: row.traceId })}>
          <ShownText>{row.name}</ShownText>
        </CompareLink>
      ),
    },
    { key: 'errors', header: t.errors, align: 'end', cell: ({ errorCount }) => t.countErrors({ errors: errorCount }) },
    { key: 'spans', header: t.spans, align: 'end', cell: ({ spanCount }) => formatNumber(spanCount) },
    { key: 'began', header: t.started, cell: ({ startedAt }) => <Time at={startedAt} show="relative" /> },
    {
      key: 'took',
      header: t.duration,
      align: 'end',
      cell: ({ startedAt, endedAt }) =>
        endedAt === null ? undefined : formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
    },
  ]
  return (
    <PagedTable
      pages={{ ...pages, items: pages.items?.filter((row) => row.traceId !== traceId) }}
      caption={t.lastTraces}
      columns={columns}
      rowKey={(row) => row.traceId}
      failed={{ what: t.theTraces, act: t.seeTraces, permission: 'trace:read' }}
      empty={<EmptyState title={t.noOtherTracesWere}>{t.pasteIdOfAnother}</EmptyState>}
    />
  )
}

const CompareLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link
    href={href}
    prefetch={false}
    className="text-link wrap-anywhere font-semibold max-rail:inline-block max-rail:py-3"
  >
    {children}
  </Link>
)
