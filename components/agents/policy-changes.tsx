'use client'

import Link from 'next/link'
import { formatList } from '#components/language/formats.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/agent-changes/en.ts'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { ShownText } from '#components/ui/text/shown-text.tsx'
import { policyPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'

export type PolicyChange = NonNullable<Answers['releases']['get']['policyChanges']>[number]

/** The policy versions that a release pins, next to those that are bound now. */
export function PolicyChanges({ changes, of }: { changes: PolicyChange[]; of: string }) {
  const { tenant } = useSession()
  return (
    <DataTable
      caption={t.policiesThatChangedSince({ of })}
      columns={columns(tenant)}
      rows={changes}
      rowKey={(row) => `${row.policyId} ${row.mode}`}
    />
  )
}

const columns = (tenant: string): Column<PolicyChange>[] => [
  {
    key: 'policy',
    header: t.policy,
    rowHeader: true,
    cell: (row) => (
      <Link
        href={policyPath(tenant, row.policyId, versionOf(row))}
        prefetch={false}
        className="text-link wrap-anywhere"
      >
        <ShownText>{row.name}</ShownText>
      </Link>
    ),
  },
  { key: 'mode', header: t.mode, cell: (row) => (row.mode === 'enforce' ? t.enforced : t.shadowOnlyRecorded) },
  { key: 'released', header: t.inRelease, cell: (row) => versions(row.released) },
  { key: 'now', header: t.boundNow, cell: (row) => versions(row.now) },
]

/** The version to link to: the one that is bound now, else the one that the release pins. */
const versionOf = ({ now, released }: PolicyChange): { version?: number } => {
  const version = now.at(-1) ?? released.at(-1)
  return version === undefined ? {} : { version }
}

const versions = (numbers: number[]): string =>
  numbers.length === 0 ? t.notBound : t.version({ version: formatList(numbers.map(String)) })
