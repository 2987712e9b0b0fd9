'use client'

import Link from 'next/link'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/privacy/en.ts'
import { evidenceExportPath } from '#lib/paths.ts'
import type { Answers } from '#lib/trpc.ts'

type Erasure = Answers['erasures']['list']['items'][number]
type Outcome = Erasure['archives'][number]['outcome']

const OUTCOMES: Record<Outcome, string> = {
  deleted: t.deletedInSentence,
  marked: t.markedNotDeleted,
  held: t.keptUnderLegalHold,
}
/** Listed at first; the rest is folded. */
const shown = 3

/** The evidence archives in which the subject was found, with what became of each. */
export function ErasureArchives({ erasure: { archives, status } }: { erasure: Erasure }) {
  if (archives.length === 0)
    return <span className="text-ink-2">{status === 'pending' ? t.notSearchedYet : t.noneFound}</span>
  const rest = archives.slice(shown)
  return (
    <>
      <List archives={archives.slice(0, shown)} />
      {rest.length > 0 && (
        <details>
          <summary className="min-h-6 w-fit cursor-pointer">{t.more({ rest: rest.length })}</summary>
          <List archives={rest} />
        </details>
      )}
    </>
  )
}

function List({ archives }: { archives: Erasure['archives'] }) {
  const { tenant } = useSession()
  return (
    <ul>
      {archives.map(({ exportId, outcome }) => (
        <li key={exportId} className="flex flex-wrap items-baseline gap-x-1.5">
          <Link href={evidenceExportPath(tenant, exportId)} prefetch={false} className="text-link font-mono text-dense">
            {exportId.slice(-12)}
          </Link>
          <span className="text-dense text-ink-2">{OUTCOMES[outcome]}</span>
        </li>
      ))}
    </ul>
  )
}
