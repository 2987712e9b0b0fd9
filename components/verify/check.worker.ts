import { logKeysPath } from '#lib/paths.ts'
import type { Heads } from '#lib/verify/freshness.ts'
import { ladderIn } from '#lib/verify/ladder.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import type { FromWorker, ToWorker } from './messages.ts'

const say = (message: FromWorker) => postMessage(message)

/** Progress is reported at most this often. */
const tellEveryMs = 100

/** The keys and heads that this service publishes for the archive's organisation. */
async function published({ externalId, heads: { seals, open } }: { externalId: string; heads: Heads }) {
  const query = new URLSearchParams()
  if (seals !== undefined) query.set('seals', String(seals.size))
  if (open !== undefined) {
    query.set('day', open.origin.slice(-10))
    query.set('size', String(open.size))
  }
  const path = logKeysPath(externalId)
  const response = await fetch(`${path}?${query}`, { credentials: 'omit' })
  if (response.status === 404) throw new Error('this service does not have the organisation.')
  if (!response.ok) throw new Error(`this service answered ${response.status}.`)
  return await response.json()
}

addEventListener('message', ({ data: { file, fingerprint, adjacent, authority, witness } }: MessageEvent<ToWorker>) => {
  let toldAt = 0
  verifyArchive(
    file,
    { fingerprint, published, adjacent, witness, authority: authority && (() => authority.text()) },
    {
      about: (about) => say({ about }),
      check: (check) => say({ check }),
      progress: (share) => {
        if (performance.now() - toldAt < tellEveryMs) return
        toldAt = performance.now()
        say({ share })
      },
    },
  ).then(
    // The verdicts say what is damaged; an archive without a readable path only lacks its picture.
    async (report) => say({ report, ladder: await ladderIn(file).catch(() => undefined) }),
    (error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
