/** @type {import('next').NextConfig} */
export default {
  // Pages are static shells that server/shell.ts serves; Next itself only answers /_next/static in production.
  agentRules: false,
  poweredByHeader: false,
  reactStrictMode: true,
  // Images are inline SVG or a tenant's logo; the optimiser would be an unneeded fetcher of URLs.
  images: { unoptimized: true },
  // `npm test` runs tsc over the whole tree; a build at the first start need not do it again.
  typescript: { ignoreBuildErrors: true },
  // Compression of pages is done by the shell, that of the API by its own handler.
  devIndicators: false,
}
