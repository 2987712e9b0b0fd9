import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Day } from '#lib/schemas/common.ts'
import { type Config, ConfigError, isSafeToFetch } from '#server/kernel/config.ts'
import { mostHeld } from '#server/kernel/db/database.ts'
import { hecTransport } from './hec.ts'
import { otlpTransport } from './otlp.ts'
import { type Patience, type Sink, usualPatience } from './sink.ts'
import { syslogTransport } from './syslog.ts'

/** Where a secret is: never in this file. */
const Secret = z.union([
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ env: z.string().regex(/^SIEM_[A-Z0-9_]+$/, 'Use the name of a variable that begins with SIEM_.') }),
])
const Address = z.url({ protocol: /^https?$/ }).refine(isSafeToFetch, 'Use https.')
const shared = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'Use lower-case letters, digits and hyphens.'),
  /** External ids. */
  tenants: z.array(z.string().min(1)).min(1),
  from: Day.optional(),
  /** PEM. */
  ca: z.string().min(1).optional(),
}
const AnySink = z.discriminatedUnion('kind', [
  z.strictObject({
    ...shared,
    kind: z.literal('syslog'),
    host: z.union([z.hostname(), z.ipv4(), z.ipv6()]),
    port: z.int().min(1).max(65535).default(6514),
    cert: z.string().min(1).optional(),
    key: z.string().min(1).optional(),
  }),
  z.strictObject({ ...shared, kind: z.literal('hec'), url: Address, token: Secret }),
  z.strictObject({
    ...shared,
    kind: z.literal('otlp'),
    url: Address,
    headers: z.record(z.string(), Secret).default({}),
  }),
])
const File = z.strictObject({ sinks: z.array(AnySink).max(mostHeld) })

/** Loads the operator's sinks, none without SIEM_SINKS. Throws ConfigError for an invalid file, or a secret that is missing. */
export async function loadSinks(config: Config, patience = usualPatience): Promise<Sink[]> {
  const { siemSinksFile: path } = config
  if (path === undefined) return []
  try {
    const { sinks } = File.parse(JSON.parse(await readFile(path, 'utf8')))
    const names = sinks.map(({ name }) => name)
    for (const name of names.filter((one, index) => names.indexOf(one) !== index))
      throw new Error(`two sinks are named ${name}.`)
    return await Promise.all(sinks.map((sink) => openSink(sink, config, patience)))
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : cause instanceof Error ? cause.message : ''
    throw new ConfigError(`SIEM_SINKS: ${path} can't be used: ${why}`, { cause })
  }
}

async function openSink(sink: z.infer<typeof AnySink>, config: Config, patience: Patience): Promise<Sink> {
  const { name, from } = sink
  const ca = sink.ca === undefined ? undefined : await readFile(sink.ca, 'utf8')
  return { name, from, tenants: new Set(sink.tenants), ...(await transportOf(sink, ca, config, patience)) }
}

async function transportOf(
  sink: z.infer<typeof AnySink>,
  ca: string | undefined,
  { baseUrl, siemSecrets }: Config,
  patience: Patience,
) {
  const origin = new URL(baseUrl).hostname
  const read = async (secret: z.infer<typeof Secret>): Promise<string> => {
    const value = 'file' in secret ? (await readFile(secret.file, 'utf8')).trim() : siemSecrets[secret.env]
    if (value === undefined || value === '')
      throw new Error(`${sink.name}: ${'file' in secret ? secret.file : secret.env} is empty.`)
    return value
  }
  switch (sink.kind) {
    case 'syslog': {
      const { host, port, cert, key } = sink
      if ((cert === undefined) !== (key === undefined)) throw new Error(`${sink.name}: cert and key need each other.`)
      const client =
        cert === undefined || key === undefined
          ? undefined
          : { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
      return syslogTransport({ host, port, ca, client, origin }, patience)
    }
    case 'hec':
      await read(sink.token)
      return hecTransport({ url: sink.url, ca, token: () => read(sink.token), host: origin }, patience)
    case 'otlp': {
      const headers = async () =>
        Object.fromEntries(
          await Promise.all(
            Object.entries(sink.headers).map(async ([name, from]) => [name, await read(from)] as const),
          ),
        )
      await headers()
      return otlpTransport({ url: sink.url, ca, headers }, patience)
    }
  }
}
