import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type JWK, SignJWT } from 'jose'

export type SigningPair = { kid: string; alg: string; privateKey: KeyObject; jwk: JWK }

export type ForeignIssuer = {
  /** Its origin. Every path below it is a realm. */
  origin: string
  realm(name: string): string
  /** The keys that it publishes. Tests change them. */
  keys: SigningPair[]
  /** The requested paths, in order. */
  asked: string[]
  /** Responds in its place, until it is undefined again. */
  instead: ((path: string, res: ServerResponse) => void) | undefined
  /** Returns a token of `realm` in Keycloak's shape, for a person unless `claims` replace that. Undefined claims are omitted. */
  token(realm: string, claims?: Record<string, unknown>, options?: TokenOptions): Promise<string>
  close(): Promise<void>
}

export type TokenOptions = { pair?: SigningPair; header?: Record<string, unknown> }

export async function newPair(
  alg: 'RS256' | 'ES256' | 'EdDSA' = 'RS256',
  kid: string = randomUUID(),
): Promise<SigningPair> {
  const { privateKey, publicKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : alg === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519')
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Starts another vendor's provider on a free port: Keycloak's paths, discovery, RS256 and shape of tokens. */
export async function foreignIssuer(): Promise<ForeignIssuer> {
  const server = createServer((req, res) => {
    const path = req.url ?? '/'
    issuer.asked.push(path)
    if (issuer.instead !== undefined) return issuer.instead(path, res)
    const realm = /^\/realms\/([\w-]+)\//.exec(path)?.[1]
    if (realm !== undefined && path.endsWith('/.well-known/openid-configuration'))
      return json(res, {
        issuer: issuer.realm(realm),
        jwks_uri: `${issuer.realm(realm)}/protocol/openid-connect/certs`,
      })
    if (realm !== undefined && path.endsWith('/certs')) return json(res, { keys: issuer.keys.map(({ jwk }) => jwk) })
    res.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const first = await newPair()
  const issuer: ForeignIssuer = {
    origin,
    realm: (name) => `${origin}/realms/${name}`,
    keys: [first],
    asked: [],
    instead: undefined,
    token(realm, claims = {}, { pair = issuer.keys[0] ?? first, header = {} } = {}) {
      const now = Math.floor(Date.now() / 1000)
      const payload = {
        iss: issuer.realm(realm),
        sub: '7d0c8a5e-2f5b-4a5c-9d39-0f8d2b6c5a11',
        aud: ['countersign', 'account'],
        iat: now,
        exp: now + 300,
        jti: randomUUID(),
        typ: 'Bearer',
        azp: 'countersign-console',
        sid: randomUUID(),
        acr: '1',
        realm_access: { roles: ['developer', 'offline_access', `default-roles-${realm}`] },
        resource_access: { account: { roles: ['manage-account'] } },
        scope: 'openid profile email',
        email_verified: true,
        name: 'Paula Foreign',
        preferred_username: 'paula',
        email: 'paula@elsewhere.example',
        ...claims,
      }
      return new SignJWT(JSON.parse(JSON.stringify(payload)))
        .setProtectedHeader(JSON.parse(JSON.stringify({ alg: pair.alg, typ: 'JWT', kid: pair.kid, ...header })))
        .sign(pair.privateKey)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

/** Claims of a Keycloak service account, for token(). */
export const serviceAccount = (clientId: string) => ({
  azp: clientId,
  client_id: clientId,
  sub: `sa-${clientId}`,
  sid: undefined,
  name: undefined,
  email: undefined,
  preferred_username: `service-account-${clientId}`,
})

const json = (res: ServerResponse, body: object) =>
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
