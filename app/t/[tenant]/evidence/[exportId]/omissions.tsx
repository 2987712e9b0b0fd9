import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'

type Omission = ExportJob['omissions'][number]

const REASONS: Record<Omission['reason'], string> = {
  retention_expired: 'Its time of retention is over.',
  erased: 'It was erased at a person’s request.',
  masked: 'It is masked.',
  permission_denied: 'Who asked for the export may not read it.',
  integrity_failed: 'It is not what was recorded.',
  source_unavailable: 'It could not be read.',
  too_large: 'It is too large.',
}

/** What is missing in the archive, and why. Stands before the download. */
export function Omissions({ omissions }: { omissions: Omission[] }) {
  return (
    <DataTable
      caption="What is missing"
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
  { key: 'reason', header: 'Why', cell: ({ reason }) => REASONS[reason] },
]
