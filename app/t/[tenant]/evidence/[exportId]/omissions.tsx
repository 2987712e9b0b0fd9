import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'

type Omission = ExportJob['omissions'][number]

const REASONS: Record<Omission['reason'], string> = {
  retention_expired: 'Its retention period has ended.',
  erased: 'It was erased at a person’s request.',
  masked: 'Its content is masked. An export with raw payloads contains it.',
  permission_denied: 'The member who requested the export may no longer read it.',
  integrity_failed: 'It does not match its recorded hash.',
  source_unavailable: 'It could not be read at the time of the export.',
  too_large: 'A value is larger than an archive may contain.',
}

/** Items that the archive lacks, with the reasons. Listed above the download. */
export function Omissions({ omissions }: { omissions: Omission[] }) {
  return (
    <DataTable
      caption="Missing from the archive"
      columns={COLUMNS}
      rows={omissions}
      rowKey={(omission) => `${omission.resource} ${omission.id ?? ''} ${omission.reason}`}
    />
  )
}

const COLUMNS: Column<Omission>[] = [
  { key: 'resource', header: 'Missing', rowHeader: true, cell: ({ resource }) => resource },
  {
    key: 'id',
    header: 'Id',
    cell: ({ id }) => (id === undefined ? undefined : <code className="font-mono text-dense">{id}</code>),
  },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => REASONS[reason] },
]
