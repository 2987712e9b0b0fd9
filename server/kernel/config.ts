import { z } from 'zod'

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
  ACCESS_TOKEN_TTL: 'seconds, a whole number from 10 to 86400',
  MCP_SERVERS: 'the path of a JSON file',
  MASTER_KEY: '32 bytes in base64',
  MASTER_KEY_PREVIOUS: '32 bytes in base64',
  LOG_LEVEL: 'one of fatal, error, warn, info, debug, trace, silent',
}

/** Settings whose value is not repeated, not even a wrong one. */
const secret = new Set(['DATABASE_URL', 'MASTER_KEY', 'MASTER_KEY_PREVIOUS'])

const schema = z.object({
  PORT: integer(0, 65535).default(3000),
  BASE_URL: origin.optional(),
  AUTH_URL: origin.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  SEED_DEMO: flag.default(true),
  ACCESS_TOKEN_TTL: integer(10, 86400).default(1800),
  MCP_SERVERS: z.string().min(1).optional(),
  MASTER_KEY: key.optional(),
  MASTER_KEY_PREVIOUS: key.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

export type Config = {
  port: number
  /** Public origin of the API and the console, without a trailing slash. */
  baseUrl: string
  /** Public origin of the identity provider; the same as baseUrl unless AUTH_URL says otherwise. */
  authUrl: string
  databaseUrl: string | undefined
  dataDir: string
  seedDemo: boolean
  /** Seconds. */
  accessTokenTtl: number
  mcpServersFile: string | undefined
  /** 32 bytes in base64; undefined: DATA_DIR/master.key. */
  masterKey: string | undefined
  /** 32 bytes in base64: opens what a rotation has not sealed anew yet. */
  masterKeyPrevious: string | undefined
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

/** A setting that can't be used: the message names it and says what it should be. */
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
  const baseUrl = settings.BASE_URL ?? `http://localhost:${settings.PORT}`
  return {
    port: settings.PORT,
    baseUrl,
    authUrl: settings.AUTH_URL ?? baseUrl,
    databaseUrl: settings.DATABASE_URL,
    dataDir: settings.DATA_DIR,
    seedDemo: settings.SEED_DEMO,
    accessTokenTtl: settings.ACCESS_TOKEN_TTL,
    mcpServersFile: settings.MCP_SERVERS,
    masterKey: settings.MASTER_KEY,
    masterKeyPrevious: settings.MASTER_KEY_PREVIOUS,
    logLevel: settings.LOG_LEVEL,
  }
}
