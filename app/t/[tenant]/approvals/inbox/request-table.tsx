'use client'

import Link from 'next/link'
import { useMemo } from 'react'
import { programName } from '#components/approvals/program.ts'
import { formatMoney } from '#components/language/formats.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { rowAttribute } from '#components/lists/use-row-keys.ts'
import type { Selection } from '#components/lists/use-selection.ts'
import * as t from '#components/texts/approvals/en.ts'
import { RowCheckbox } from '#components/ui/controls/row-checkbox.tsx'
import { RiskBars } from '#components/ui/status/risk-bars.tsx'
import { type Column, DataTable, type Section } from '#components/ui/text/data-table.tsx'
import { useNow } from '#components/ui/text/now.ts'
import { OneLine } from '#components/ui/text/one-line.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { visibleText } from '#lib/text/visible-text.ts'
import { AgainstUsual, AgainstUsualAwaited } from './against-usual.tsx'
import { whyIneligible } from './bulk.ts'
import type { Request } from './filter.ts'
import { type Group, sumOf } from './groups.ts'
import type { Layout } from './layout.ts'
import type { Usual } from './use-usual.ts'

type RequestTableProps = {
  groups: Group[]
  selection: Selection<Request>
  /** The same function as long as the addresses are the same, so that unchanged rows are not drawn again. */
  hrefOf: (request: Request) => string
  usual: Usual
  layout: Layout
}

const hourMs = 3_600_000

/** Pending requests under headings with their count and sum. */
export function RequestTable({ groups, selection, hrefOf, usual, layout }: RequestTableProps) {
  const { set } = selection
  // A text, so that the columns are the same as long as the layout is.
  const hidden = layout.hidden.join(',')
  const columns = useMemo((): Column<Request>[] => {
    const select: Column<Request> = {
      key: 'select',
      header: <VisuallyHidden>{t.selected}</VisuallyHidden>,
      corner: true,
      cell: (row, selected) => (
        <RowCheckbox
          label={t.select({ title: visibleText(row.title) })}
          checked={selected}
          onChange={(checked) => set([row], checked)}
        />
      ),
    }
    const all = [select, ...requestColumns(hrefOf)]
    // Its place is there before the answer, so that no row moves when it comes.
    const withUsual = usual.awaited || usual.ranges.size > 0
    const whole = withUsual ? all.flatMap((one) => (one.key === 'amount' ? [one, againstUsual(usual)] : [one])) : all
    return whole.filter(({ key }) => !hidden.split(',').includes(key))
  }, [set, hrefOf, usual, hidden])
  const sections: Section<Request>[] = groups.map((group) => ({
    key: group.title,
    heading: <GroupHeading group={group} selection={selection} />,
    rows: group.requests,
  }))
  return (
    <DataTable
      caption={t.approvals}
      dense={layout.density === 'compact'}
      columns={columns}
      rows={{ sections }}
      rowKey={(row) => row.approvalId}
      isSelected={selection.has}
    />
  )
}

/** The columns of pending requests. The title links to the request. */
export const requestColumns = (hrefOf: (request: Request) => string): Column<Request>[] => [
  { key: 'risk', header: t.risk, cell: ({ risk }) => <RiskBars level={risk} /> },
  {
    key: 'title',
    header: t.request,
    rowHeader: true,
    cell: (row) => (
      <span className="flex flex-col">
        <span>
          <Link
            href={hrefOf(row)}
            prefetch={false}
            {...{ [rowAttribute]: row.approvalId }}
            className="row-link text-link wrap-anywhere font-semibold"
          >
            <ShownText>{row.title}</ShownText>
          </Link>{' '}
          <FirstFact request={row} />
        </span>
        {/* In quotes: the lines below it are our own words. */}
        {row.cardTitle !== undefined && (
          <q className="wrap-anywhere text-ink-2">
            <ShownText>{row.cardTitle}</ShownText>
          </q>
        )}
        <RepeatMark request={row} />
        <WhyIneligible request={row} />
      </span>
    ),
  },
  { key: 'amount', header: t.amount, align: 'end', cell: ({ amount }) => amount && <Amount {...amount} /> },
  {
    key: 'agent',
    header: t.agent,
    cell: ({ agentName, environment }) =>
      agentName === null ? (
        t.peopleGroupsAndSettings
      ) : (
        <>
          <OneLine text={agentName}>
            <ShownText>{agentName}</ShownText>
            {environment !== null && ','}
          </OneLine>
          {environment !== null && (
            <span className="text-ink-2">
              {' '}
              <ShownText>{environment}</ShownText>
            </span>
          )}
        </>
      ),
  },
  {
    key: 'requester',
    header: t.requestedBy,
    cell: ({ requestedBy: { displayName }, program }) => (
      <>
        <OneLine text={displayName}>
          <ShownText>{displayName}</ShownText>
        </OneLine>
        {program !== undefined && (
          <span className="block wrap-anywhere text-dense text-ink-2">
            {t.through({ kind: program.kind, program: programName(program), shown: shownText })}
          </span>
        )}
      </>
    ),
  },
  { key: 'requested', header: t.requested, cell: ({ requestedAt }) => <Time at={requestedAt} show="relative" /> },
  {
    key: 'expires',
    header: t.expires,
    cell: ({ expiresAt, clockStopped }) => (clockStopped ? t.clockStopped : <Expiry at={expiresAt} />),
  },
  { key: 'group', header: t.waitingFor, cell: ({ group }) => <ShownText>{group}</ShownText> },
]

const againstUsual = ({ ranges, awaited }: Usual): Column<Request> => ({
  key: 'usual',
  header: t.againstUsual,
  cell: ({ approvalId, amount }) => {
    if (amount === null) return undefined
    const usual = ranges.get(approvalId)
    if (usual !== undefined) return <AgainstUsual amount={amount} usual={usual} />
    return awaited && <AgainstUsualAwaited />
  },
})

function GroupHeading({ group: { title, requests }, selection }: { group: Group; selection: Selection<Request> }) {
  const sum = sumOf(requests)
  return (
    <span className="flex flex-wrap items-center gap-x-3 text-dense">
      <RowCheckbox
        label={t.selectAll({ title })}
        checked={requests.every(selection.has)}
        onChange={(checked) => selection.set(requests, checked)}
      />
      <span className="font-semibold">{title}</span>
      <span className="text-ink-2">{t.countAndSum({ count: requests.length, summed: String(sum !== ''), sum })}</span>
    </span>
  )
}

function WhyIneligible({ request }: { request: Request }) {
  const why = whyIneligible(request)
  if (why === undefined) return undefined
  return (
    <span className="text-ink-2">
      <ShownText>{why}</ShownText>
    </span>
  )
}

/** The first fact of the card that has a value, which tells requests with the same title apart. */
function FirstFact({ request: { facts } }: { request: Request }) {
  const fact = facts.find(({ value }) => value !== null)
  if (fact === undefined || fact.value === null) return null
  return (
    <span className="inline-block max-w-full text-ink-2">
      <ShownText>{fact.value}</ShownText>
    </span>
  )
}

/** The same action on the same object, approved before. */
function RepeatMark({ request: { repeats } }: { request: Request }) {
  const approved = repeats?.approved
  if (approved == null) return null
  return (
    <span className="font-semibold text-danger">
      {t.approvedForSameObject({ at: () => <Time at={approved.decidedAt} show="relative" /> })}
    </span>
  )
}

function Amount({ value, currency }: { value: string; currency: string }) {
  return <span className="whitespace-nowrap font-semibold tabular-nums">{formatMoney(value, currency)}</span>
}

/** The last hour is marked. */
function Expiry({ at }: { at: string }) {
  const now = useNow()
  const soon = now !== undefined && Date.parse(at) - now <= hourMs
  return (
    <span className={soon ? 'font-semibold text-warn' : undefined}>
      <Time at={at} show="relative" />
    </span>
  )
}
