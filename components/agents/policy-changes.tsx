'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
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
      caption={`Policies that changed since ${of} was proposed`}
      columns={columns(tenant)}
      rows={changes}
      rowKey={(row) => `${row.policyId} ${row.mode}`}
    />
  )
}

const columns = (tenant: string): Column<PolicyChange>[] => [
  {
    key: 'policy',
    header: 'Policy',
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
  { key: 'mode', header: 'Mode', cell: (row) => (row.mode === 'enforce' ? 'Enforced' : 'Shadow: only recorded') },
  { key: 'released', header: 'In the release', cell: (row) => versions(row.released) },
  { key: 'now', header: 'Bound now', cell: (row) => versions(row.now) },
]

/** The version to link to: the one that is bound now, else the one that the release pins. */
const versionOf = ({ now, released }: PolicyChange): { version?: number } => {
  const version = now.at(-1) ?? released.at(-1)
  return version === undefined ? {} : { version }
}

const versions = (numbers: number[]): string =>
  numbers.length === 0 ? 'Not bound' : `Version ${numbers.join(' and ')}`
