import fc from 'fast-check'
import { hostileTexts, hostileValues } from './hostile.ts'

const realm = '/realms/northwind'
/** Addresses that need no credentials, or that answer a stranger before they ask for any. */
export const publicPaths = [
  ...['auth', 'token', 'certs', 'userinfo', 'logout', 'revoke', 'token/introspect'].map(
    (name) => `${realm}/protocol/openid-connect/${name}`,
  ),
  `${realm}/.well-known/openid-configuration`,
  `/.well-known/oauth-authorization-server${realm}`,
  `${realm}/interaction/abc`,
  `${realm}/sign-in-link/abc`,
  `${realm}/password`,
  `${realm}/`,
  '/realms/nowhere/protocol/openid-connect/token',
  '/.well-known/countersign/ext-northwind/log-keys.json',
  '/.well-known/oauth-protected-resource/v1/mcp/t/ext-northwind/refund-assistant/payments',
  '/v1/mcp/t/ext-northwind/refund-assistant/payments',
  '/v1/mcp/t/%2500/%ff/%00',
  '/v1/log/t/ext-northwind/audit',
  '/v1/log/t/ext-northwind/seals/checkpoint',
  '/v1/log/t/%2500/seals/checkpoint',
  '/v1/log/t/ext-northwind/audit/2023-78-70/checkpoint',
  '/v1/health/live',
  '/v1/health/ready',
  '/v1/openapi.json',
  '/v1/session.me',
  '/v1/traces',
  '/v1/branding/abc',
  '/v1/tenants.current',
  '/.well-known/openid-configuration',
  '/csp-report',
  '/',
  '/sign-in',
  '/t/northwind',
]
const fields = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'refresh_token',
  'username',
  'password',
  'current',
  'again',
  'token',
  'state',
  'nonce',
  'redirect_uri',
  'response_type',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'id_token_hint',
  'input',
  'prompt',
  'claims',
  'resource',
  'login_hint',
  'client_assertion',
  'client_assertion_type',
]
const likely = [
  'countersign-console',
  'ci-pipeline',
  'client_credentials',
  'authorization_code',
  'refresh_token',
  'code',
  'S256',
  'openid',
  'maria',
  'a'.repeat(43),
]

const word = fc.oneof(
  fc.constantFrom(...likely),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
export const pairs = fc.array(fc.tuple(fc.constantFrom(...fields), word), { maxLength: 8 })
export const encoded = (given: readonly (readonly [string, string])[]) =>
  new URLSearchParams(given.map(([name, value]): [string, string] => [name, value.toWellFormed()])).toString()
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const claims = fc.dictionary(
  fc.constantFrom('alg', 'kid', 'typ', 'iss', 'sub', 'aud', 'exp', 'iat', 'jti', 'jwk'),
  fc.oneof(fc.constantFrom(...hostileValues), fc.constantFrom('ES256', 'at+jwt', 'dpop+jwt')),
  { noNullPrototype: true },
)
const token = fc.tuple(claims, claims).map((parts) => `${parts.map(base64).join('.')}.AAAA`)
const authorization = fc.oneof(
  fc.tuple(word, word).map(([user, password]) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`),
  token.map((jws) => `Bearer ${jws}`),
  // A header can't contain everything that a text can.
  fc.string({ unit: fc.constantFrom(...'abcXYZ019_-. ~é'), maxLength: 60 }).map((text) => `Bearer cst_${text.trim()}`),
  token.map((jws) => `DPoP ${jws}`),
)
export const headersOf = fc.record(
  {
    authorization,
    dpop: token,
    'x-svc-api-key': fc.string({ unit: fc.constantFrom(...'abcXYZ019_-.') }),
    'x-svc-tenant-id': fc.constantFrom('x', '1', '018f0000-0000-7000-8000-000000000000'),
    origin: fc.constantFrom('null', 'http://x'),
    cookie: fc.constantFrom('_session=x', '_interaction=%00'),
  },
  { requiredKeys: [], noNullPrototype: true },
)
