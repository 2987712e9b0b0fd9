// Peer of case 1: oidc-provider with its defaults, one client, state in memory and the same kind of token.
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

const { kty, crv, x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
if (kty !== 'EC') throw new Error('unreachable: a P-256 key')
const server = createServer()
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  const provider = new Provider(`http://localhost:${port}`, {
    jwks: { keys: [{ kty, crv, x, y, d, kid: 'one', alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: 'ci-pipeline',
        client_secret: process.env.CLIENT_SECRET ?? '',
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
    ],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'profile', 'email'],
    ttl: { ClientCredentials: 1800 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:countersign:api',
        getResourceServerInfo: () => ({
          audience: 'countersign-api',
          scope: 'openid profile email',
          accessTokenTTL: 1800,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  server.on('request', provider.callback())
  process.stdout.write(`ready http://localhost:${port}/token\n`)
})
