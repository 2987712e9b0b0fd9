import { z } from 'zod'
import { type Network, parseNetworks } from './net/address.ts'
import { noPrivateHosts, type PrivateHosts, parsePrivateHosts } from './net/private-hosts.ts'

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const origin = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))
const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'a whole number').transform(Number).pipe(z.number().min(min).max(max))
const key = z.base64().refine((value) => Buffer.from(value, 'base64').length === 32)

const expected: Record<string, string> = {
  PORT: 'a whole number from 0 to 65535',
  BASE_URL: 'an http(s) origin such as https://countersign.example',
  AUTH_URL: 'an http(s) origin such as https://auth.example',
  DATABASE_URL: 'a PostgreSQL address such as postgres://user:password@host:5432/countersign',
  DATA_DIR: 'a folder',
  SEED_DEMO: 'true or false',
  ACCESS_TOKEN_TTL: 'a whole number of seconds from 10 to 86400',
  IDENTITY: 'embedded or external; external requires AUTH_URL',
  TRUSTED_ISSUERS: 'the path of a JSON file',
  TOKEN_ALGORITHM: 'ES256 or RS256',
  RATE_LIMIT_PER_MINUTE: 'a whole number of requests from 1 to 1000000000',
  TOKEN_RATE_LIMIT_PER_MINUTE: 'a whole number of requests from 1 to 1000000000',
  MCP_SERVERS: 'the path of a JSON file',
  PUBLIC_LOG: 'true or false',
  LOG_WITNESSES: 'the path of a JSON file',
  TSA_URL: 'an http(s) address such as https://timestamp.example/tsr',
  ALLOWED_PRIVATE_HOSTS: 'host names, addresses or networks such as mcp.internal,10.1.0.0/16',
  TRUSTED_PROXIES: 'addresses or networks such as 10.1.0.0/16,2001:db8::/64, and not all addresses',
  SMTP_URL: 'an address such as smtp://user:password@mail.example:587',
  MAIL_FROM: 'an e-mail address',
  MASTER_KEY: '32 bytes in base64',
  MASTER_KEY_PREVIOUS: '32 bytes in base64',
  LOG_LEVEL: 'one of fatal, error, warn, info, debug, trace, silent',
}

/** Settings whose values are never printed, not even invalid ones. */
const secret = new Set(['DATABASE_URL', 'SMTP_URL', 'MASTER_KEY', 'MASTER_KEY_PREVIOUS'])

const schema = z.object({
  PORT: integer(0, 65535).default(3000),
  BASE_URL: origin.optional(),
  AUTH_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  SEED_DEMO: flag.default(true),
  ACCESS_TOKEN_TTL: integer(10, 86400).default(1800),
  IDENTITY: z.enum(['embedded', 'external']).optional(),
  TRUSTED_ISSUERS: z.string().min(1).optional(),
  TOKEN_ALGORITHM: z.enum(['ES256', 'RS256']).default('ES256'),
  RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000).default(600),
  TOKEN_RATE_LIMIT_PER_MINUTE: integer(1, 1_000_000_000).default(60),
  MCP_SERVERS: z.string().min(1).optional(),
  PUBLIC_LOG: flag.default(false),
  LOG_WITNESSES: z.string().min(1).optional(),
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
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export type Config = {
  port: number
  /** Public origin of the API and the console, without a trailing slash. */
  baseUrl: string
  /** Public origin of the identity provider; the same as baseUrl unless AUTH_URL is set. */
  authUrl: string
  databaseUrl: string | undefined
  dataDir: string
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
  logWitnessesFile: string | undefined
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
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
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
    seedDemo: settings.SEED_DEMO,
    accessTokenTtl: settings.ACCESS_TOKEN_TTL,
    identity,
    trustedIssuersFile: settings.TRUSTED_ISSUERS,
    tokenAlgorithm: settings.TOKEN_ALGORITHM,
    rateLimitPerMinute: settings.RATE_LIMIT_PER_MINUTE,
    tokenRateLimitPerMinute: settings.TOKEN_RATE_LIMIT_PER_MINUTE,
    mcpServersFile: settings.MCP_SERVERS,
    publicLog: settings.PUBLIC_LOG,
    logWitnessesFile: settings.LOG_WITNESSES,
    tsaUrl: settings.TSA_URL,
    allowedPrivateHosts: settings.ALLOWED_PRIVATE_HOSTS ?? noPrivateHosts,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? `countersign@${new URL(baseUrl).hostname}`,
    masterKey: settings.MASTER_KEY,
    masterKeyPrevious: settings.MASTER_KEY_PREVIOUS,
    logLevel: settings.LOG_LEVEL,
  }
}

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
