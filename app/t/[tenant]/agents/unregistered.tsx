'use client'

import Link from 'next/link'
import { usePages } from '#components/api/use-pages.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { PagedTable } from '#components/lists/paged-table.tsx'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agents/en.ts'
import type { Column } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import { newAgentPath, tracePath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'
import { useTRPC } from '#lib/trpc.ts'

type Row = Answers['agents']['observed']['items'][number]

const perPage = 20

/** Lists the agents that appear in telemetry without being registered: they lack an owner, and policies don't decide their calls. */
export function Unregistered() {
  const trpc = useTRPC()
  const { tenant, can } = useSession()
  const pages = usePages(trpc.agents.observed, { registered: false, limit: perPage })
  return (
    <>
      {pages.items !== undefined && pages.items.length > 0 && (
        <p className="max-w-[75ch] text-ink-2">{t.theseAgentsAppearIn}</p>
      )}
      <PagedTable
        pages={pages}
        caption={t.unregisteredAgents}
        columns={columns(tenant, can('agent:create'))}
        rowKey={(row) => row.name}
        failed={{ what: t.theUnregistered, act: t.seeAgents, permission: 'agent:read' }}
        empty={<p className="text-ink-2">{t.everyAgentThatTelemetry}</p>}
      />
    </>
  )
}

const columns = (tenant: string, mayRegister: boolean): Column<Row>[] => [
  {
    key: 'name',
    header: t.nameInTelemetry,
    rowHeader: true,
    cell: (row) => (
      <span className="wrap-anywhere">
        <ShownText>{row.name}</ShownText>
      </span>
    ),
  },
  { key: 'first', header: t.firstSeen, cell: (row) => <Time at={row.firstSeenAt} show="relative" /> },
  { key: 'last', header: t.lastSeen, cell: (row) => <Time at={row.lastSeenAt} show="relative" /> },
  {
    key: 'trace',
    header: t.lastTrace,
    cell: (row) => (
      <Link href={tracePath(tenant, row.lastTraceId)} prefetch={false} className="text-link">
        {t.openLastTraceOf({
          agent: row.name,
          shown: shownText,
          hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
        })}
      </Link>
    ),
  },
  ...(mayRegister
    ? [
        {
          key: 'register',
          header: t.register,
          cell: (row: Row) => (
            <Link href={newAgentPath(tenant, { name: row.name })} prefetch={false} className="text-link">
              {t.registerNamed({
                agent: row.name,
                shown: shownText,
                hidden: (content) => <VisuallyHidden>{content}</VisuallyHidden>,
              })}
            </Link>
          ),
        },
      ]
    : []),
]
