/** @type {import('next').NextConfig} */
export default {
  // Pages are static shells that server/shell.ts serves; in production Next itself only answers /_next/static.
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // Images are inline SVG or a tenant's logo; the optimiser would be an unneeded fetcher of URLs.
  images: { unoptimized: true },
  // It reads its WebAssembly from beside its own files, which a bundle has not.
  serverExternalPackages: ['@cedar-policy/cedar-wasm'],
  // `npm test` runs tsc over the whole tree; a build at the first start need not do it again.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [
    {
      source: '/_next/static/:path*',
      headers: [
        { key: 'x-content-type-options', value: 'nosniff' },
        { key: 'cross-origin-resource-policy', value: 'same-origin' },
      ],
    },
  ],
}
