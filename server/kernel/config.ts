import { join } from 'node:path'
import { z } from 'zod'
import { type Network, parseNetworks } from './net/address.ts'
import { noPrivateHosts, type PrivateHosts, parsePrivateHosts } from './net/private-hosts.ts'
import { type SpanSettings, spanSettingsExpected, spanSettingsOf, spanSettingsSchema } from './observe/span-settings.ts'
import { parseS3Location, type S3Location } from './s3-location.ts'

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const origin = z
  .url({ protocol: /^https?$/ })
  .transform((value) => value.replace(/\/+$/, ''))
  .refine((value) => new URL(value).pathname === '/' && !/[?#@]/.test(value))
const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'a whole number').transform(Number).pipe(z.number().min(min).max(max))
const key = z.base64().refine((value) => Buffer.from(value, 'base64').length === 32)

const expected: Record<string, string> = {
  PORT: 'a whole number from 0 to 65535',
  BASE_URL: 'an http(s) origin without a path, such as https://countersign.example',
  AUTH_URL: 'an http(s) origin without a path, such as https://auth.example',
  DATABASE_URL: 'a PostgreSQL address such as postgres://user:password@host:5432/countersign',
  DATA_DIR: 'a folder',
  EXPORT_STORE: 'the address of a bucket such as s3://bucket or s3://bucket/prefix',
  EXPORT_TMP_DIR: 'a folder',
  AWS_ENDPOINT_URL: 'an http(s) address',
  AWS_ENDPOINT_URL_S3: 'an http(s) address',
  SEED_DEMO: 'true or false',
  ACCESS_TOKEN_TTL: 'a whole number of seconds from 10 to 86400',
  IDENTITY: 'embedded or external; external requires AUTH_URL',
  TRUSTED_ISSUERS: 'the path of a JSON file',
  TOKEN_ALGORITHM: 'ES256 or RS256',
  RATE_LIMIT_PER_MINUTE: 'a whole number of requests from 1 to 1000000000',
  TOKEN_RATE_LIMIT_PER_MINUTE: 'a whole number of requests from 1 to 1000000000',
  MCP_SERVERS: 'the path of a JSON file',
  PUBLIC_LOG: 'true or false',
  ADOPT_ROWS_AFTER: 'a whole number of seconds from 0 to 31536000',
  LOG_WITNESSES: 'the path of a JSON file',
  SIEM_SINKS: 'the path of a JSON file',
  TSA_URL: 'an http(s) address such as https://timestamp.example/tsr',
  ALLOWED_PRIVATE_HOSTS: 'host names, addresses or networks such as mcp.internal,10.1.0.0/16',
  TRUSTED_PROXIES: 'addresses or networks such as 10.1.0.0/16,2001:db8::/64, and not all addresses',
  SMTP_URL: 'an address such as smtp://user:password@mail.example:587',
  MAIL_FROM: 'an e-mail address',
  MASTER_KEY: '32 bytes in base64',
  MASTER_KEY_PREVIOUS: '32 bytes in base64',
  METRICS_PORT: 'a whole number from 1 to 65535, and not PORT',
  METRICS_TOKEN: 'at least 16 characters without spaces',
  ...spanSettingsExpected,
  DRAIN_SECONDS: 'a whole number of seconds from 0 to 3600',
  ROLES: 'web, worker, or both, separated by a comma',
  SIGNER_MEMORY: 'file, or an address such as s3://bucket/prefix',
  LOG_LEVEL: 'one of fatal, error, warn, info, debug, trace, silent',
}

/** Settings whose values are never printed, not even invalid ones. */
const secret = new Set([
  'DATABASE_URL',
  'SMTP_URL',
  'MASTER_KEY',
  'MASTER_KEY_PREVIOUS',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
])

const schema = z.object({
  PORT: integer(0, 65535).default(3000),
  BASE_URL: origin.optional(),
  AUTH_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  EXPORT_STORE: z
    .string()
    .transform(parseBucket)
    .refine((bucket): bucket is Bucket => bucket !== undefined)
    .optional(),
  EXPORT_TMP_DIR: z.string().min(1).optional(),
  // The SDK reads these itself, with its other settings. Ours says how a store with an address of its own is called.
  AWS_ENDPOINT_URL: z.url({ protocol: /^https?$/ }).optional(),
  AWS_ENDPOINT_URL_S3: z.url({ protocol: /^https?$/ }).optional(),
  SEED_DEMO: flag.default(true),
  ACCESS_TOKEN_TTL: integer(10, 86400).default(1800),
  IDENTITY: z.enum(['embedded', 'external']).optional(),
  TRUSTED_ISSUERS: z.string().min(1).optional(),
  TOKEN_ALGORITHM: z.enum(['ES256', 'RS256']).default('ES256'),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000).default(600),
  TOKEN_RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000).default(60),
  MCP_SERVERS: z.string().min(1).optional(),
  PUBLIC_LOG: flag.default(false),
  ADOPT_ROWS_AFTER: integer(0, 31_536_000).default(60),
  LOG_WITNESSES: z.string().min(1).optional(),
  SIEM_SINKS: z.string().min(1).optional(),
  TSA_URL: z.url({ protocol: /^https?$/ }).optional(),
  ALLOWED_PRIVATE_HOSTS: z
    .string()
    .transform(parsePrivateHosts)
    .refine((hosts): hosts is PrivateHosts => hosts !== undefined)
    .optional(),
  TRUSTED_PROXIES: z
    .string()
    .transform(parseNetworks)
    .refine((networks): networks is Network[] => networks !== undefined)
    .optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
  MAIL_FROM: z.email().optional(),
  MASTER_KEY: key.optional(),
  MASTER_KEY_PREVIOUS: key.optional(),
  SIGNER_MEMORY: z
    .string()
    .transform((text) => (text === 'file' ? text : parseS3Location(text)))
    .refine((place) => place !== undefined)
    .default('file'),
  METRICS_PORT: integer(1, 65535).optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^\S{16,}$/)
    .optional(),
  ...spanSettingsSchema,
  DRAIN_SECONDS: integer(0, 3600).default(20),
  ROLES: z
    .string()
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(['web', 'worker'])).min(1))
    .default(['web', 'worker']),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

/** A bucket of an S3-compatible store, and what the names of our objects in it begin with: '' or 'text/'. */
export type Bucket = { bucket: string; prefix: string }

export type Config = {
  port: number
  /** Public origin of the API and the console, without a trailing slash. */
  baseUrl: string
  /** Public origin of the identity provider; the same as baseUrl unless AUTH_URL is set. */
  authUrl: string
  databaseUrl: string | undefined
  dataDir: string
  /** Where archives are kept; undefined: in DATA_DIR/evidence. */
  exportStore: Bucket | undefined
  /** Where archives are written before they are stored. */
  exportTmpDir: string
  /** False if another provider serves the realms: it does not know the passwords of the demo. */
  seedDemo: boolean
  /** Seconds. */
  accessTokenTtl: number
  /**
   * Whether this server serves the realms at authUrl itself, or another provider does, whose keys are fetched from
   * there.
   */
  identity: 'embedded' | 'external'
  trustedIssuersFile: string | undefined
  /** The algorithm with which this server's own realms sign tokens. */
  tokenAlgorithm: 'ES256' | 'RS256'
  /** Limit for the requests of one tenant. */
  rateLimitPerMinute: number
  /** Limit for the requests of one client at the token endpoint of its realm. */
  tokenRateLimitPerMinute: number
  mcpServersFile: string | undefined
  /** Whether checkpoints, tiles and keys of the tenants' logs are public. */
  publicLog: boolean
  /** Seconds without a process of an older version until its rows are bound to the log. */
  adoptRowsAfter: number
  logWitnessesFile: string | undefined
  siemSinksFile: string | undefined
  /** Variables of the environment that begin with SIEM_, for secrets that the file names. */
  siemSecrets: Readonly<Record<string, string>>
  /** Of the time-stamping authority (RFC 3161) for archives. */
  tsaUrl: string | undefined
  /** Non-public hosts that requests to addresses in manifests may reach. */
  allowedPrivateHosts: PrivateHosts
  /** Peers whose Forwarded and X-Forwarded-For headers are believed. */
  trustedProxies: readonly Network[]
  /** Undefined: no mail is sent, and each mail is marked as not configured. */
  smtpUrl: string | undefined
  mailFrom: string
  /** 32 bytes in base64; undefined: DATA_DIR/master.key. */
  masterKey: string | undefined
  /** 32 bytes in base64: decrypts values that a rotation has not re-encrypted yet. */
  masterKeyPrevious: string | undefined
  /** Where signers keep what they signed: DATA_DIR, or a store that all of them share. */
  signerMemory: 'file' | S3Location
  /** The address of an S3-compatible store that is not Amazon's. The SDK reads it itself. */
  s3Endpoint: string | undefined
  /** A port for the operator's metrics alone. */
  metricsPort: number | undefined
  /** The bearer token for the operator's metrics; without it and metricsPort they are not served. */
  metricsToken: string | undefined
  /** Undefined: no spans are recorded. */
  spans: SpanSettings | undefined
  /** Seconds for which requests and calls may run on after a signal to stop. */
  drainSeconds: number
  /** web: serves requests. worker: runs jobs, signs the logs, closes days. */
  roles: ReadonlySet<'web' | 'worker'>
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

/** `s3://bucket/prefix`; undefined for anything else. */
function parseBucket(text: string): Bucket | undefined {
  const [, bucket, prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9/_.-]*?))?\/*$/.exec(text) ?? []
  return bucket === undefined ? undefined : { bucket, prefix: prefix === '' ? '' : `${prefix}/` }
}

/** An invalid setting: the message names it and describes a valid value. */
export class ConfigError extends Error {}

/** Reads the settings of the process (documented in .env.example). An empty value counts as not set. Throws ConfigError. */
export function loadConfig(environment: Record<string, string | undefined> = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = schema.safeParse(present)
  if (!result.success) {
    const names = [...new Set(result.error.issues.map((issue) => String(issue.path[0])))]
    throw new ConfigError(
      names
        .map((name) => `${name} must be ${expected[name]}${secret.has(name) ? '' : `; it is "${present[name]}"`}.`)
        .join('\n'),
    )
  }
  const settings = result.data
  if (settings.IDENTITY === 'external' && settings.AUTH_URL === undefined)
    throw new ConfigError(`IDENTITY must be ${expected.IDENTITY}.`)
  if (settings.METRICS_PORT !== undefined && settings.METRICS_PORT === settings.PORT)
    throw new ConfigError(`METRICS_PORT must be ${expected.METRICS_PORT}.`)
  const baseUrl = settings.BASE_URL ?? `http://localhost:${settings.PORT}`
  const authUrl = settings.AUTH_URL ?? baseUrl
  const identity = settings.IDENTITY ?? identityAt(authUrl, baseUrl)
  if (identity === 'external' && !isSafeToFetch(authUrl))
    throw new ConfigError(`AUTH_URL must be an https origin if another provider serves the realms; it is "${authUrl}".`)
  return {
    port: settings.PORT,
    baseUrl,
    authUrl,
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
    exportStore: settings.EXPORT_STORE,
    exportTmpDir: settings.EXPORT_TMP_DIR ?? join(settings.DATA_DIR, 'exports'),
    seedDemo: settings.SEED_DEMO && identity === 'embedded',
    accessTokenTtl: settings.ACCESS_TOKEN_TTL,
    identity,
    trustedIssuersFile: settings.TRUSTED_ISSUERS,
    tokenAlgorithm: settings.TOKEN_ALGORITHM,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    tokenRateLimitPerMinute: settings.TOKEN_RATE_LIMIT_PER_MINUTE,
    mcpServersFile: settings.MCP_SERVERS,
    publicLog: settings.PUBLIC_LOG,
    adoptRowsAfter: settings.ADOPT_ROWS_AFTER,
    logWitnessesFile: settings.LOG_WITNESSES,
    siemSinksFile: settings.SIEM_SINKS,
    siemSecrets: secretsIn(present),
    tsaUrl: settings.TSA_URL,
    allowedPrivateHosts: settings.ALLOWED_PRIVATE_HOSTS ?? noPrivateHosts,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? `countersign@${new URL(baseUrl).hostname}`,
    masterKey: settings.MASTER_KEY,
    masterKeyPrevious: settings.MASTER_KEY_PREVIOUS,
    signerMemory: settings.SIGNER_MEMORY,
    s3Endpoint: settings.AWS_ENDPOINT_URL_S3 ?? settings.AWS_ENDPOINT_URL,
    metricsPort: settings.METRICS_PORT,
    metricsToken: settings.METRICS_TOKEN,
    spans: spanSettingsOf(settings),
    drainSeconds: settings.DRAIN_SECONDS,
    roles: new Set(settings.ROLES),
    logLevel: settings.LOG_LEVEL,
  }
}

const secretsIn = (environment: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('SIEM_') && value !== undefined ? [[name, value]] : [],
    ),
  )

/**
 * The identity provider if IDENTITY is not set: an AUTH_URL with another origin is an external provider, unless it is
 * another loopback name of this machine with the server's own port.
 */
function identityAt(authUrl: string, baseUrl: string): Config['identity'] {
  const auth = new URL(authUrl)
  const base = new URL(baseUrl)
  const sameLoopback = isLoopback(auth.hostname) && isLoopback(base.hostname) && auth.port === base.port
  return auth.origin === base.origin || sameLoopback ? 'embedded' : 'external'
}

/** Keys of an issuer must come over TLS, or from this machine. */
export function isSafeToFetch(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname)
