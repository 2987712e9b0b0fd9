import { runtime } from '#server/kernel/runtime.ts'
import { askProcess } from './child-process.ts'
import type { MadeArchive } from './make-archive.ts'
import { type Answer, errorOf, type Work } from './process-messages.ts'
import { NoSpace } from './scratch.ts'

/** Makes the archive in a process of its own. Rejects with the error of the work, or with the signal's reason. */
export async function makeInProcess(
  work: Pick<Work, 'run' | 'covered' | 'path' | 'expected'>,
  signal: AbortSignal,
): Promise<MadeArchive> {
  const { config, database, vault } = runtime()
  const message: Work = {
    ...work,
    config: {
      ...config,
      databaseUrl: undefined,
      smtpUrl: undefined,
      masterKey: undefined,
      masterKeyPrevious: undefined,
    },
    databaseUrl: database.url,
    masterKeys: vault.keys,
  }
  const answer = await askProcess<Answer>(new URL('./export-process.ts', import.meta.url), message, signal)
  if ('made' in answer) return answer.made
  if (answer.failed.kind === 'disk_full')
    throw new NoSpace('The server’s folder for making archives is full.', { cause: new Error(answer.failed.message) })
  throw errorOf(answer.failed)
}
