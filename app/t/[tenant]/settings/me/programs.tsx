'use client'

import { useState } from 'react'
import { useQuery } from '#components/api/query.ts'
import { shownText } from '#components/language/shown-text.tsx'
import { Section } from '#components/page/section.tsx'
import * as t from '#components/texts/settings-me/en.ts'
import { Button } from '#components/ui/controls/button.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { Time } from '#components/ui/text/time.tsx'
import { VisuallyHidden } from '#components/ui/text/visually-hidden.tsx'
import type { OwnProgram, OwnSession } from '#lib/schemas/sessions.ts'
import { useTRPC } from '#lib/trpc.ts'
import { EndProgram } from './end-program.tsx'
import { programName, programsIn } from './own-programs.ts'

type Row = { program: OwnProgram; session: OwnSession }

/** The programs that the person let call tools in their name; nothing without one. The sessions above report a failure to load. */
export function Programs() {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.sessions.list.queryOptions())
  const [ending, setEnding] = useState<Row>()
  const rows = (data?.sessions ?? []).flatMap((session) => programsIn(session).map((program) => ({ program, session })))
  if (rows.length === 0 && ending === undefined) return null
  return (
    <Section title={t.programsWithAccess}>
      <p className="max-w-[75ch]">{t.programsCallTools}</p>
      <DataTable
        caption={t.programsWithAccess}
        columns={columns(setEnding)}
        rows={rows}
        rowKey={({ session, program }) => `${session.id} ${program.clientId}`}
      />
      {ending !== undefined && (
        <EndProgram sessionId={ending.session.id} program={ending.program} onClose={() => setEnding(undefined)} />
      )}
    </Section>
  )
}

const columns = (end: (row: Row) => void): Column<Row>[] => [
  {
    key: 'program',
    header: t.program,
    rowHeader: true,
    cell: ({ program }) => (
      <>
        <ShownText>{programName(program)}</ShownText>
        {program.name !== null && (
          <code className="block wrap-anywhere font-normal text-dense text-ink-2">{program.clientId}</code>
        )}
      </>
    ),
  },
  {
    key: 'gateways',
    header: t.mayCall,
    cell: ({ program }) => (
      <ul>
        {program.gateways.map(({ agent, server, environment }) => {
          const named = { agent, server, shown: shownText }
          return (
            <li key={`${agent}/${server}/${environment}`}>
              {environment === null ? t.toolsOfAgent(named) : t.onlyInEnvironment({ ...named, environment })}
            </li>
          )
        })}
      </ul>
    ),
  },
  { key: 'allowed', header: t.allowed, cell: ({ program }) => <Time at={program.allowedAt} /> },
  {
    key: 'device',
    header: t.allowedOn,
    cell: ({ session }) => (
      <>
        <ShownText>{session.device ?? t.unknownDevice}</ShownText>
        {session.current && <span className="block text-dense text-ink-2">{t.thisBrowser}</span>}
      </>
    ),
  },
  {
    key: 'end',
    header: t.actions,
    cell: (row) => (
      <Button onClick={() => end(row)} aria-haspopup="dialog">
        {t.endAccessHidden({ hidden: () => <VisuallyHidden> {programName(row.program)}</VisuallyHidden> })}
      </Button>
    ),
  },
]
