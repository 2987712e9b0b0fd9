import { countOfKind, kindWords } from '#components/evidence/kind-words.ts'
import { formatList } from '#components/language/formats.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/evidence-export/en.ts'
import { Copyable } from '#components/ui/controls/copyable.tsx'
import { type Column, DataTable } from '#components/ui/text/data-table.tsx'
import type { ExportJob } from '#lib/schemas/evidence.ts'
import { useManifest } from './use-export.ts'

type Omission = ExportJob['omissions'][number]
/** Everything of one kind that is missing for the same reason. */
type Group = { resource: string; reason: Omission['reason']; ids: string[] }

const REASONS: Record<Omission['reason'], string> = {
  retention_expired: t.retentionPeriodHasEnded,
  erased: t.erasedAtPersonsRequest,
  masked: t.contentIsMaskedExport,
  permission_denied: t.memberWhoRequestedExport,
  integrity_failed: t.itDoesNotMatch,
  source_unavailable: t.itCouldNotBe,
  too_large: t.valueIsLargerThan,
}

/** What the archive lacks, by kind and reason, above the download. What is only masked is not missing: it is folded. */
export function Omissions({ exportId, omissions }: { exportId: string; omissions: Omission[] }) {
  const { can } = useSession()
  const all = useManifest(exportId, can('evidence:read')).data?.omissionCount ?? omissions.length
  const groups = groupsOf(omissions)
  const missing = groups.filter(({ reason }) => reason !== 'masked')
  const masked = groups.filter(({ reason }) => reason === 'masked')
  return (
    <>
      {missing.length > 0 && (
        <DataTable
          caption={t.missingFromArchive}
          columns={COLUMNS}
          rows={missing}
          rowKey={({ resource, reason }) => `${resource} ${reason}`}
        />
      )}
      {all > omissions.length && (
        <p className="max-w-[75ch]">{t.onlyFirstOmissions({ shown: omissions.length, all })}</p>
      )}
      {masked.length > 0 && (
        <details>
          <summary className="min-h-6 w-fit cursor-pointer">{t.maskedValues}</summary>
          <p className="max-w-[75ch] text-ink-2">
            {t.sensitiveValuesInArchive({ listOf: formatList(masked.map(({ resource }) => kindWords(resource))) })}
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

const COLUMNS: Column<Group>[] = [
  {
    key: 'resource',
    header: t.missing,
    rowHeader: true,
    cell: ({ resource, ids }) => {
      if (resource === 'raw-payloads') return t.allUnmaskedValues
      return ids.length === 0 ? t.all({ resource: kindWords(resource) }) : countOfKind(ids.length, resource)
    },
  },
  { key: 'reason', header: t.reason, cell: ({ reason }) => REASONS[reason] },
  {
    key: 'id',
    header: t.which,
    cell: ({ resource, ids }) => {
      if (ids.length <= 1) return ids.map((id) => <Id key={id} id={id} resource={resource} />)
      return (
        <details>
          <summary className="min-h-6 w-fit cursor-pointer">{t.ids({ ids: ids.length })}</summary>
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
  <Copyable value={id} label={t.idIn({ resource: kindWords(resource) })} shorten="middle" />
)
