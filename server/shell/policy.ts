/** What every answer of the shell carries, whatever its status. */
export type PolicyOptions = {
  /** Origins other than our own that the page may call: the identity provider's, when it has its own. */
  connectOrigins: string[]
  /** True when the console's public address is https. */
  https: boolean
}

const CLOSED_FEATURES = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
/** What our own pages use, and nothing that they would hold. */
const OWN_FEATURES = ['clipboard-write', 'publickey-credentials-create', 'publickey-credentials-get']

/** For answers that are neither a page nor a file: nothing in them is ever shown or run. */
export const barePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * For files. A file that a browser opens by itself is a document; a script that starts as a worker loads the
 * rest of itself under its own policy.
 */
export const filePolicy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Headers that are the same for every request; the content security policy is made per nonce. */
export function fixedHeaders({ https }: Pick<PolicyOptions, 'https'>) {
  return {
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': [
      ...CLOSED_FEATURES.map((name) => `${name}=()`),
      ...OWN_FEATURES.map((name) => `${name}=(self)`),
    ].join(', '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(https ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : undefined),
  }
}

/**
 * The policy, as a function of the nonce (base64). Scripts run by nonce and what they load by strict-dynamic;
 * Trusted Types leave no other way to make one. Reports go to server/shell/csp-report.ts.
 */
export function contentSecurityPolicy({
  connectOrigins,
}: Pick<PolicyOptions, 'connectOrigins'>): (nonce: string) => string {
  const connect = ["'self'", ...connectOrigins.flatMap(withSocket)].join(' ')
  const [before, after] = [
    "default-src 'none'; script-src 'nonce-",
    [
      "' 'strict-dynamic'",
      "worker-src 'self'",
      "style-src 'self' 'nonce-{nonce}'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src ${connect}`,
      "manifest-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "object-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types default nextjs',
      'report-uri /csp-report',
    ].join('; '),
  ]
  return (nonce) => before + nonce + after.replace('{nonce}', () => nonce)
}

/** `https://host` allows fetches only; a socket to the same host needs its own entry. */
function withSocket(origin: string): string[] {
  const url = new URL(origin)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`not an origin: ${origin}`)
  return [url.origin, url.origin.replace(/^http/, 'ws')]
}
