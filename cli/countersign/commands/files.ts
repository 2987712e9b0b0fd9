import { createWriteStream, openAsBlob, statSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { operationNamed } from '../catalog.ts'
import { usageError } from '../failure.ts'
import { commonFlags, parse, textOf } from '../flags.ts'
import { print } from '../output.ts'
import { ask, callServer } from '../request.ts'
import { openSession } from '../session.ts'
import { type Command, commonUsage } from './command.ts'

export const filesUpload: Command = {
  name: 'files upload',
  summary: 'Upload a file',
  usage: `countersign files upload <file> [--name <name>] [--type <media type>]\n${commonUsage}`,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, name: { type: 'string' }, type: { type: 'string' } })
    const [path] = positionals
    if (path === undefined || positionals.length > 1) throw usageError('Name one file.')
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw usageError(`${path} is not a file.`)
    const type = textOf(values, 'type') ?? 'application/octet-stream'
    // Read while it is sent, from the beginning each time.
    const file = await openAsBlob(path)
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
  usage: `countersign files download <id> [--out <file>]\n${commonUsage}`,
  async run({ args, environment, output }) {
    const { values, positionals } = parse(args, { ...commonFlags, out: { type: 'string' } })
    const [id] = positionals
    if (id === undefined || positionals.length > 1) throw usageError('Name one file by its id.')
    const response = await callServer(openSession(values, environment), operationNamed('files.download'), { id })
    const out = textOf(values, 'out')
    if (response.body === null) return undefined
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
    if (out === undefined) await pipeline(body, process.stdout, { end: false })
    else {
      await pipeline(body, createWriteStream(`${out}.part`))
      await rename(`${out}.part`, out)
      output.error(`${out}\n`)
    }
    return undefined
  },
}
