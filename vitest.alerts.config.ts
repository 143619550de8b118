import { defineConfig } from 'vitest/config'

/** What needs Prometheus, and takes minutes: `npm run test:alerts`. */
export default defineConfig({
  test: { include: ['test/dashboards/**/*.long.ts'], reporters: ['verbose'], testTimeout: 180_000 },
})
