// What `conftest.py` starts instead of a mock of its own: it hands over the one that runs, and ends with its parent.
const { MOCK_URL: url, MOCK_ADMIN_URL: adminUrl } = process.env;
console.log(JSON.stringify({ url, adminUrl }));
process.stdin.on("end", () => process.exit()).resume();
