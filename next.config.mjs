/** @type {import('next').NextConfig} */
export default {
  // Pages are static shells that server/shell.ts serves; in production Next itself only answers /_next/static.
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // Images are inline SVG or a tenant's logo; the optimiser would only add code that fetches URLs.
  images: { unoptimized: true },
  // It reads its WebAssembly from its own folder, which a bundle lacks.
  serverExternalPackages: ['@cedar-policy/cedar-wasm'],
  // `npm test` runs tsc over the whole tree; a build at the first start need not repeat it.
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
