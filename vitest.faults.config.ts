import { defineConfig } from 'vitest/config'

/** Every read under every fault of four of thirteen: `npm run test:faults`. */
export default defineConfig({ test: { include: ['test/daemon/**/*.long.ts'], reporters: ['verbose'] } })
