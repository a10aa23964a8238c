import { echo } from "./echo.mjs";

echo();
