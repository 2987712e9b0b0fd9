import { countOfKind, kindWords } from '#components/evidence/kind-words.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import { formatCount } from '#lib/format.ts'
import type { ExportJob } from '#lib/schemas/evidence.ts'

type Omission = ExportJob['omissions'][number]
/** Everything of one kind that is missing for the same reason. */
type Group = { resource: string; reason: Omission['reason']; ids: string[] }

const REASONS: Record<Omission['reason'], string> = {
  retention_expired: 'The retention period has ended.',
  erased: 'Erased at a person’s request.',
  masked: 'The content is masked. An export with raw payloads contains it.',
  permission_denied: 'The member who requested the export may no longer read it.',
  integrity_failed: 'It does not match its recorded hash.',
  source_unavailable: 'It could not be read at the time of the export.',
  too_large: 'A value is larger than an archive may contain.',
}

/** What the archive lacks, by kind and reason, above the download. What is only masked is not missing: it is folded. */
export function Omissions({ omissions }: { omissions: Omission[] }) {
  const groups = groupsOf(omissions)
  const missing = groups.filter(({ reason }) => reason !== 'masked')
  const masked = groups.filter(({ reason }) => reason === 'masked')
  return (
    <>
      {missing.length > 0 && (
        <DataTable
          caption="Missing from the archive"
          columns={COLUMNS}
          rows={missing}
          rowKey={({ resource, reason }) => `${resource} ${reason}`}
        />
      )}
      {masked.length > 0 && (
        <details>
          <summary className="min-h-6 w-fit cursor-pointer">Masked, but not left out</summary>
          <p className="max-w-[75ch] text-ink-2">
            Sensitive values in {listOf(masked.map(({ resource }) => kindWords(resource)))}. The archive contains a
            commitment to each value; an export with raw payloads contains the values.
          </p>
        </details>
      )}
    </>
  )
}

function groupsOf(omissions: readonly Omission[]): Group[] {
  const groups = new Map<string, Group>()
  for (const { resource, reason, id } of omissions) {
    const key = `${resource} ${reason}`
    const group = groups.get(key) ?? { resource, reason, ids: [] }
    if (id !== undefined) group.ids.push(id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

const listOf = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names)

const COLUMNS: Column<Group>[] = [
  {
    key: 'resource',
    header: 'Missing',
    rowHeader: true,
    cell: ({ resource, ids }) => {
      if (resource === 'raw-payloads') return 'All unmasked values'
      return ids.length === 0 ? `All ${kindWords(resource)}` : countOfKind(ids.length, resource)
    },
  },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => REASONS[reason] },
  {
    key: 'id',
    header: 'Which',
    cell: ({ resource, ids }) => {
      if (ids.length <= 1) return ids.map((id) => <Id key={id} id={id} resource={resource} />)
      return (
        <details>
          <summary className="min-h-6 w-fit cursor-pointer">{formatCount(ids.length, 'ID')}</summary>
          <ul>
            {ids.map((id) => (
              <li key={id}>
                <Id id={id} resource={resource} />
              </li>
            ))}
          </ul>
        </details>
      )
    },
  },
]

const Id = ({ id, resource }: { id: string; resource: string }) => (
  <Copyable value={id} label={`ID in the ${kindWords(resource)}`} shorten="middle" />
)
