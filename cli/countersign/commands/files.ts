import { openAsBlob, statSync } from 'node:fs'
import { basename } from 'node:path'
import { operationNamed } from '../catalog.ts'
import { download, outFlags, outOf, toOutput } from '../download.ts'
import { usageError } from '../failure.ts'
import { commonFlags, parse, textOf } from '../flags.ts'
import { print } from '../output.ts'
import { ask, callServer } from '../request.ts'
import { patiently } from '../retry.ts'
import { openSession } from '../session.ts'
import { type Command, commonUsage } from './command.ts'

const uploadFlags = { name: { type: 'string' }, type: { type: 'string' } } as const

export const filesUpload: Command = {
  name: 'files upload',
  summary: 'Upload a file',
  usage: `countersign files upload <file> [--name <name>] [--type <media type>]\n${commonUsage}`,
  flags: uploadFlags,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, ...uploadFlags })
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw usageError('Name one file.')
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile() !== true) throw usageError(`${path} is not a file.`)
    const type = textOf(values, 'type') ?? 'application/octet-stream'
    // Read while it is sent, from the beginning each time.
    const file = await openAsBlob(path)
    // Node keeps the size of a Blob in 32 bits (lib/verify/programs/file.ts), and would send a part of the file.
    if (file.size !== found.size) throw usageError(`${path} is too large.`)
    const document = { type, make: () => file }
    const session = openSession(values, environment)
    print(
      output,
      await ask(
        session,
        operationNamed('files.upload'),
        { name: textOf(values, 'name') ?? basename(path) },
        { document },
      ),
    )
    return undefined
  },
}

export const filesDownload: Command = {
  name: 'files download',
  summary: 'Download a file',
  usage: `countersign files download <id> [--out <file> [--overwrite]]\n${commonUsage}`,
  flags: outFlags,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, ...outFlags })
    const [id] = positionals
    if (id === undefined || positionals.length > 1) throw usageError('Name one file by its id.')
    const out = outOf(values)
    const [session, operation] = [openSession(values, environment), operationNamed('files.download')]
    if (out === undefined) await toOutput(await patiently(() => callServer(session, operation, { id })))
    else {
      await download(session, operation, { id }, { out, output })
      output.error(`${out}\n`)
    }
    return undefined
  },
}
