import { defineConfig } from 'vitest/config'

/** What needs Debian's Chromium: `npm run test:page`. */
export default defineConfig({
  test: { include: ['test/page/**/*.long.ts'], reporters: ['verbose'], testTimeout: 60_000 },
})
